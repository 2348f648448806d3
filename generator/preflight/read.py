"""A cluster → Live: which kinds it serves, then the objects that an expectation asks about, and nothing beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.finding import FatalError, Location
from generator.manifest import Manifest
from generator.preflight.client import Client, NotServedError, UnreadError
from generator.preflight.compare import CLAIM, POD, WORKLOAD
from generator.preflight.expected import Expected
from generator.preflight.live import ANY, SUBSCRIPTION, VERSION_OF_OPERATOR, Live, pruned
from generator.preflight.operators import DEPLOYMENT, EMBEDDED
from generator.preflight.removed import PROFILE_USERS
from generator.validate import kinds
from generator.validate.kinds import Kind
from generator.validate.shape import get, mapping, mappings, text, texts

_QUEUES = (kinds.CLUSTER_QUEUE, kinds.COHORT, kinds.RESOURCE_FLAVOR)
_KEPT = ("name", "namespace", "labels", "annotations")
_ORIGINALS = {"labelSelector": "!olm.copiedFrom"}  # OLM copies each ClusterServiceVersion into every namespace


def read(client: Client, expected: Expected) -> Live:
    """Return what of the cluster the comparison looks at.

    Raises:
        FatalError: the cluster cannot be reached, or lets nobody in.
    """
    reader = _Reader(client, expected)
    reader.discover()
    for kind in _wanted(expected):
        reader.read(kind)
    if expected.operators or reader.lacks_kinds():
        reader.read(VERSION_OF_OPERATOR, _ORIGINALS)
    if expected.applications_namespace is not None:
        reader.read_embedded(expected.applications_namespace)
    live = reader.live
    live.server = client.server
    if any(pruned(expected, live, kinds.HARDWARE_PROFILE)):
        for kind in PROFILE_USERS:
            reader.read(kind)
    for space in pruned(expected, live, kinds.NAMESPACE):
        reader.look_into(space.name)
    return live


def _wanted(expected: Expected) -> Iterator[Kind]:
    """Yield the kinds of which every object is read."""
    asked = {kind for kind, _, _ in expected.objects} | {
        kind for kind in _PRUNED if kind[1] in {name for name, _ in expected.prunes}
    }
    if expected.pools:
        yield kinds.NODE
    if expected.operators:
        yield SUBSCRIPTION
    if expected.applications_namespace is not None:
        yield kinds.DATA_SCIENCE_CLUSTER
    for kind in _PRUNED:
        if kind in asked or (kind in _QUEUES and asked & set(_QUEUES)):
            yield kind


_PRUNED = (
    kinds.RESOURCE_FLAVOR,
    kinds.TOPOLOGY,
    kinds.COHORT,
    kinds.CLUSTER_QUEUE,
    kinds.LOCAL_QUEUE,
    kinds.NAMESPACE,
    kinds.HARDWARE_PROFILE,
)


class _Reader:
    """One reading of one cluster."""

    def __init__(self, client: Client, expected: Expected) -> None:
        self._client, self._expected = client, expected
        self._versions = {(k.api_version.rpartition("/")[0], k.kind): k.api_version for k in expected.kinds}
        self._resources: dict[str, Mapping[str, str]] = {}  # apiVersion -> kind -> plural
        self.live = Live()

    def discover(self) -> None:
        """Ask for the groups and, of those that the tree uses, for their kinds."""
        try:
            found = self._client.get("/apis")
        except UnreadError as problem:
            why = f"it is not known which kinds the cluster serves: {problem}"
            raise FatalError(why, "give the account the ClusterRole system:discovery") from None
        groups = {
            text(group, "name"): [text(version, "version") for _, version in mappings(group, "versions")]
            for _, group in mappings(found, "groups")
        }
        self.live.groups = {"": ["v1"], **groups}
        emitted = {kind.api_version for kind in self._expected.kinds}
        of_groups = {api.rpartition("/")[0] for api in emitted}
        served: dict[str, frozenset[str]] = {}
        for group in sorted(of_groups):
            for version in self.live.groups.get(group, ()):
                api = f"{group}/{version}" if group else version
                try:
                    served[api] = frozenset(self._kinds(api))
                except UnreadError as problem:
                    self.live.unread[api, ANY] = str(problem)
        self.live.served = served

    def lacks_kinds(self) -> bool:
        """Whether a kind of the tree is not served, so that it matters whether its operator is installed."""
        return any(kind.kind not in self.live.served.get(kind.api_version, ()) for kind in self._expected.kinds)

    def _kinds(self, api: str) -> Mapping[str, str]:
        """Return the kinds of an apiVersion with their plurals; none where it is not served."""
        if api not in self._resources:
            try:
                found = self._client.get(f"/apis/{api}" if "/" in api else f"/api/{api}")
            except NotServedError:
                found = {}
            resources = (item for _, item in mappings(found, "resources"))
            self._resources[api] = {
                text(item, "kind"): text(item, "name")
                for item in resources
                if "/" not in text(item, "name") and "list" in texts(item, "verbs")
            }
        return self._resources[api]

    def read(self, kind: Kind, query: Mapping[str, str] | None = None) -> None:
        """Read all objects of a kind; a kind that is not served has none."""
        try:
            self.live.objects[kind] = list(self._list(kind, "", query))
        except UnreadError as problem:
            self.live.unread[kind] = str(problem)

    def read_embedded(self, namespace: str) -> None:
        """Read the Deployment of a Kueue that OpenShift AI runs itself."""
        path = f"/apis/{DEPLOYMENT[0]}/v1/namespaces/{namespace}/deployments/{EMBEDDED}"
        try:
            self.live.objects[DEPLOYMENT] = [_manifest(self._client.get(path), "apps/v1", DEPLOYMENT[1])]
        except NotServedError:
            pass
        except UnreadError as problem:
            self.live.unread[DEPLOYMENT] = str(problem)

    def look_into(self, namespace: str) -> None:
        """Count what a namespace holds that would go with it."""
        counts = self.live.contents.setdefault(namespace, {})
        for kind, what in ((POD, "pods"), (CLAIM, "persistent volume claims"), (WORKLOAD, "Kueue workloads")):
            try:
                found = self._list(kind, f"/namespaces/{namespace}", None)
                counts[what] = sum(1 for item in found if text(item.body, "status", "phase") not in _ENDED)
            except UnreadError as problem:
                self.live.unread[kind] = str(problem)

    def _list(self, kind: Kind, within: str, query: Mapping[str, str] | None) -> Iterable[Manifest]:
        for api in self._candidates(kind):
            plural = self._kinds(api).get(kind[1])
            if plural:
                root = f"/apis/{api}" if "/" in api else f"/api/{api}"
                return [
                    _manifest(item, api, kind[1]) for item in self._client.all_of(f"{root}{within}/{plural}", query)
                ]
        return []

    def _candidates(self, kind: Kind) -> Iterator[str]:
        """Yield the apiVersions in which a kind may be read, that of the tree first."""
        group = kind[0]
        served = [f"{group}/{version}" if group else version for version in self.live.groups.get(group, ())]
        emitted = self._versions.get(kind)
        yield from (api for api in served if api == emitted)
        yield from (api for api in served if api != emitted)


_ENDED = ("Succeeded", "Failed")


def _manifest(item: Mapping[str, Any], api: str, kind: str) -> Manifest:
    """Return an object of a list with what the comparison reads, all of it of the types that it expects.

    Raises:
        UnreadError: it has no name.
    """
    name, namespace = text(item, "metadata", "name"), get(item, "metadata", "namespace")
    if not name or not isinstance(namespace, str | None):
        raise UnreadError(f"an object of kind {kind} has no name")
    metadata = {key: value for key, value in mapping(item, "metadata").items() if key in _KEPT}
    body = {"apiVersion": api, "kind": kind, "metadata": metadata}
    return Manifest(body | {key: item[key] for key in ("spec", "status") if key in item}, Location(""))
