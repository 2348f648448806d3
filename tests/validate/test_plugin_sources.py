"""Applications that a plug-in renders: what they would bring is judged like what stands in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.validate.argo_folders import folder_of
from tests.repository import repository


def source(path: str = ".", **given: Any) -> dict[str, Any]:
    parameters = [{"name": name, "string": value} for name, value in given.items()]
    return {"path": path, "plugin": {"name": "apportion", "parameters": parameters}}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"path": "output/overlays/prod/operators"}, "output/overlays/prod/operators"),
        ({"path": "/clusters/"}, "clusters"),
        ({}, ""),
        (source(env="prod", part="queues/vision"), "output/overlays/prod/queues/vision"),
        (source("clusters/ai", env="prod", part="operators"), "clusters/ai/output/overlays/prod/operators"),
        (source(env="prod"), ""),
        (source(part="operators"), ""),
        ({"path": ".", "plugin": {}}, ""),
        ({"path": "apps", "plugin": {"name": "helmfile", "env": [{"name": "A", "value": "b"}]}}, ""),
        ({"path": "apps", "plugin": None}, ""),
        ({"path": "apps", "plugin": {"parameters": "x"}}, ""),
        ({"path": "apps", "plugin": {"parameters": [{"name": 1, "string": 2}, "x"]}}, ""),
    ],
)
def test_folder_of(found: dict[str, Any], expected: str) -> None:
    assert folder_of(found) == expected


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: mine, namespace: openshift-gitops}
spec:
  project: default
  source:
    repoURL: https://git.example.com/platform/ai-gitops.git
    path: .
    plugin:
      name: apportion
      parameters:
        - {name: env, string: prod}
        - {name: part, string: PART}
  destination: {server: https://kubernetes.default.svc, namespace: openshift-gitops}
"""


@pytest.mark.parametrize(("part", "status"), [("operators", 0), ("operator", 1)])
def test_a_part_is_one_of_the_environment(
    part: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    (root / "environments/prod/extra").mkdir()
    (root / "environments/prod/extra/mine.yaml").write_text(APPLICATION.replace("PART", part), "utf-8")
    assert main(["check", "--root", str(root), "--inputs-only"]) == status
    said = (
        "environments/prod/extra/mine.yaml:9:5: error[missing-folder] Application mine syncs folder "
        "output/overlays/prod/operator, which does not exist\n"
        "  fix: did you mean output/overlays/prod/operators? set its part to a folder of the repository\n"
    )
    assert (said in capsys.readouterr().out) is bool(status)


def test_lint_knows_that_what_is_rendered_need_not_be_committed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "apps/config"
    folder.mkdir(parents=True)
    (folder / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n", "utf-8")
    plain = APPLICATION.replace("name: mine", "name: plain").replace("path: .", "path: apps/config")
    files = f"{APPLICATION}---\n{plain.partition('    plugin:')[0]}"
    files += "  destination: {server: https://kubernetes.default.svc, namespace: b}\n"
    (tmp_path / "applications.yaml").write_text(files, "utf-8")
    main(["lint", str(tmp_path)])
    assert "missing-folder" not in capsys.readouterr().out
    (tmp_path / "applications.yaml").write_text(files.replace("apps/config", "apps/other") + "---\n" + files, "utf-8")
    main(["lint", str(tmp_path)])
    assert "apps/other, which does not exist" in capsys.readouterr().out
