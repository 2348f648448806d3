"""Argo CD's plug-in: the sidecar that runs `apportion render`, and what an Application asks of it.

Source: Argo CD docs/operator-manual/config-management-plugins.md, cmpserver/plugin/config.go; argocd-operator
api/v1beta1/argocd_types.go (the field is spec.repo.volumes, not spec.volumes).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.manifest import dump
from generator.plan.model import Plugin

CONFIG, PATCH = "argocd-plugin-config.yaml", "argocd-plugin.yaml"
COMMAND = ["apportion", "render"]  # no shell: what an Application asks for is never a command line
ENV, PART, AS_OF = "env", "part", "as-of"
TOOLTIPS = {
    ENV: ("Environment", "Name of the environment, as its document of kind Environment has it"),
    PART: ("Part", "Folder below output/overlays/<environment>/, such as queues/vision; default, all but argocd"),
    AS_OF: ("As of", "Apply the dated overrides of this day, YYYY-MM-DD; default, none"),
}
_SERVER = "/var/run/argocd/argocd-cmp-server"
_HOME = "/home/argocd/cmp-server"


def call(plugin: Plugin, environment: str, part: str, as_of: str | None) -> dict[str, Any]:
    """Return `source.plugin` of an Application: the plug-in by its name, so that nothing is left to discovery."""
    given = {ENV: environment, PART: part, **({AS_OF: as_of} if as_of else {})}
    return {"name": plugin.name, "parameters": [{"name": name, "string": value} for name, value in given.items()]}


def config(plugin: Plugin, namespace: str) -> str:
    """Return the ConfigMap that holds plugin.yaml. It is applied by hand: a sync that needs it cannot bring it."""
    return dump(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"{plugin.name}-plugin", "namespace": namespace},
            "data": {"plugin.yaml": dump(definition(plugin))},
        }
    )


def definition(plugin: Plugin) -> Mapping[str, Any]:
    """Return plugin.yaml.

    Without `discover` it is found by its name alone, and no Application of another repository runs it or is streamed
    to it. Without `version` that name stays as it is when the image changes.
    """
    static = [
        {"name": name, "title": title, "tooltip": tooltip, "required": name == ENV}
        for name, (title, tooltip) in TOOLTIPS.items()
    ]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ConfigManagementPlugin",
        "metadata": {"name": plugin.name},
        "spec": {"generate": {"command": COMMAND}, "parameters": {"static": static}},
    }


def patch(plugin: Plugin) -> str:
    """Return the merge patch of the ArgoCD resource that adds the sidecar. It names no user: the SCC assigns one."""
    config_volume, scratch = f"{plugin.name}-plugin-config", f"{plugin.name}-plugin-tmp"
    sidecar = {
        "name": f"{plugin.name}-plugin",
        "image": plugin.image,
        "command": [_SERVER],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [
            {"name": "var-files", "mountPath": "/var/run/argocd"},
            {"name": "plugins", "mountPath": f"{_HOME}/plugins"},
            {"name": config_volume, "mountPath": f"{_HOME}/config/plugin.yaml", "subPath": "plugin.yaml"},
            {"name": scratch, "mountPath": "/tmp"},  # noqa: S108 - the sidecar's, not this machine's
        ],
    }
    volumes = [
        {"name": config_volume, "configMap": {"name": f"{plugin.name}-plugin"}},
        {"name": scratch, "emptyDir": {}},
    ]
    return dump({"spec": {"repo": {"sidecarContainers": [sidecar], "volumes": volumes}}})
