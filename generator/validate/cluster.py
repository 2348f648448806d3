"""One cluster: everything that a check may look at, and how it points at what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.source.nodes import Map, Seq
from generator.validate import kinds
from generator.validate.kinds import CLUSTER_SCOPED, Kind, kind_of
from generator.validate.shape import get, mapping, steps, text
from generator.validate.violation import Violation

if TYPE_CHECKING:
    from generator.quantity import Amount
    from generator.releases.model import GitOps, Kueue, OpenShiftAI

_T = TypeVar("_T")

_CLUSTER_SCOPED_NAMES = frozenset(name for _, name in CLUSTER_SCOPED)  # asked first: for every object of a fleet
_NO_FOLDERS: Mapping[str, Sequence[Manifest]] = {}


@dataclass(frozen=True, slots=True)
class Target:
    """The releases that the cluster runs; None: not known, so nothing is said that depends on it."""

    openshift_ai: OpenShiftAI | None = None
    kueue: Kueue | None = None
    gitops: GitOps | None = None
    openshift: str | None = None


@dataclass(frozen=True, slots=True)
class NodePool:
    """Nodes that are alike: `count` of them can be used, of `total`; `allocatable` is per node, in thousandths.

    `label_keys` are labels whose value differs from node to node. `is_listed`: its Nodes are known one by one, and one
    whose name a flavor asks for is a pool of its own. `origin` is where the inventory says so.
    """

    name: str
    labels: Mapping[str, str]
    label_keys: frozenset[str]
    taints: tuple[Mapping[str, str], ...]
    count: int
    total: int
    allocatable: Mapping[str, Amount]
    origin: Location
    is_listed: bool = False

    def has_label(self, key: str) -> bool:
        return key in self.labels or key in self.label_keys

    def may_carry(self, key: str, value: object) -> bool:
        """Whether a node of it may have a label of that value."""
        return self.labels.get(key) == value or (key in self.label_keys and not self.is_listed)


@dataclass(frozen=True, slots=True)
class Made:
    """What the operator of OpenShift AI makes by itself where it is absent: a LocalQueue in each managed namespace.

    Source: facts of OpenShift AI, section 3; rhods-operator internal/controller/components/kueue.
    """

    cluster_queue: str
    local_queue: str
    spaces: frozenset[str]
    flavors: tuple[str, ...]

    def has(self, kind: Kind, name: str, namespace: str) -> bool:
        """Whether the operator makes an object of that name."""
        if kind == kinds.LOCAL_QUEUE:
            return name == self.local_queue and namespace in self.spaces
        return (kind == kinds.CLUSTER_QUEUE and name == self.cluster_queue) or (
            kind == kinds.RESOURCE_FLAVOR and name in self.flavors
        )


@dataclass(eq=False)
class Cluster:
    """The objects of one cluster.

    `external` names what is declared to exist elsewhere: KIND/NAME or KIND/NAMESPACE/NAME. `whole` says that nothing
    else exists (a compiled environment); otherwise a kind of which there is no object is taken to exist elsewhere.
    `folders` maps a folder, by its path from the repository's root, to what Argo CD would apply from it. `bases` are
    what the objects were before merge patches of a kustomization changed them.
    """

    objects: Sequence[Manifest]
    target: Target = field(default_factory=Target)
    pools: Sequence[NodePool] = ()
    external: frozenset[str] = frozenset()
    whole: bool = False
    environment: str | None = None
    folders: Mapping[str, Sequence[Manifest]] = field(default_factory=lambda: _NO_FOLDERS)
    bases: Sequence[Manifest] = ()
    _known: dict[Callable[[Cluster], Any], Any] = field(default_factory=dict, init=False, repr=False)
    _known_of: dict[tuple[Callable[[Cluster, Manifest], Any], int], Any] = field(
        default_factory=dict, init=False, repr=False
    )

    def once(self, read: Callable[[Cluster], _T]) -> _T:
        """Return what several checks read from the objects, read for the first of them."""
        if read not in self._known:
            self._known[read] = read(self)
        found: _T = self._known[read]
        return found

    def once_of(self, read: Callable[[Cluster, Manifest], _T], manifest: Manifest) -> _T:
        """Return what several checks read from one of the objects, read for the first of them."""
        key = read, id(manifest)
        if key not in self._known_of:
            self._known_of[key] = read(self, manifest)
        found: _T = self._known_of[key]
        return found

    @cached_property
    def identities(self) -> Sequence[tuple[Manifest, Kind, str, str]]:
        """Every object with its kind, namespace ("" for none) and name."""
        return [(m, kind_of(m.body), namespace_of(m), name_of(m)) for m in self.objects]

    @cached_property
    def _by_kind(self) -> Mapping[Kind, list[Manifest]]:
        found: dict[Kind, list[Manifest]] = {}
        for manifest, kind, _, _ in self.identities:
            found.setdefault(kind, []).append(manifest)
        return found

    @cached_property
    def _by_name(self) -> Mapping[Kind, Mapping[str, Mapping[str, Manifest]]]:
        found: dict[Kind, dict[str, dict[str, Manifest]]] = {}
        for manifest, kind, space, name in self.identities:
            found.setdefault(kind, {}).setdefault(space, {}).setdefault(name, manifest)
        return found

    @cached_property
    def _external(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.external)

    def of(self, kind: Kind) -> Sequence[Manifest]:
        """Return all objects of a kind, in the order in which they were read."""
        return self._by_kind.get(kind, ())

    @property
    def kinds(self) -> Iterable[Kind]:
        """Every kind of which there is an object."""
        return self._by_kind

    def find(self, kind: Kind, name: str, namespace: str = "") -> Manifest | None:
        """Return the first object of that name, or None."""
        return self._by_name.get(kind, {}).get(namespace, {}).get(name)

    def names(self, kind: Kind, namespace: str = "") -> list[str]:
        """Return the names of a kind in a namespace ("": cluster-scoped ones)."""
        return list(self._by_name.get(kind, {}).get(namespace, {}))

    def is_known(self, kind: Kind) -> bool:
        """Whether an object of that kind that is not here does not exist."""
        return self.whole or kind in self._by_kind

    def is_external(self, kind: Kind, name: str, namespace: str = "") -> bool:
        """Whether an object is declared to exist elsewhere."""
        if not self.external:
            return False
        label = kind[1].lower()
        return f"{label}/{name}" in self._external or f"{label}/{namespace}/{name}" in self._external

    def has(self, kind: Kind, name: str, namespace: str = "") -> bool:
        """Whether an object exists, is declared to, is made by the operator, or of a kind that is not known here."""
        return (
            self.find(kind, name, namespace) is not None
            or not self.is_known(kind)
            or self.is_external(kind, name, namespace)
            or (self.made is not None and self.made.has(kind, name, namespace))
        )

    @cached_property
    def made(self) -> Made | None:
        """The queues that the operator makes, or None: Kueue is not Unmanaged, or the release leaves that to others."""
        release = self.target.openshift_ai
        for manifest in self.of(kinds.DATA_SCIENCE_CLUSTER) if release else ():
            component = mapping(manifest.body, "spec", "components", "kueue")
            if release and component.get("managementState") == "Unmanaged":
                written = {**release.kueue_component, **component}
                if release.default_queue == "always" or written.get("autoCreateQueues") is True:
                    names = [
                        text(written, f"default{kind}Name") or "default" for kind in ("ClusterQueue", "LocalQueue")
                    ]
                    return Made(names[0], names[1], self._managed_spaces(), release.default_flavors)
        return None

    def _managed_spaces(self) -> frozenset[str]:
        """Return the namespaces that carry either label: the operator adds the other one."""
        labels = (kinds.MANAGED_LABEL, kinds.LEGACY_MANAGED_LABEL)
        spaces = self.of(kinds.NAMESPACE)
        return frozenset(name_of(m) for m in spaces if any(labels_of(m).get(label) == "true" for label in labels))

    def objection(self, manifest: Manifest, violation: Violation, related: Iterable[Related] = ()) -> Finding:
        """Return a violation as a finding at the place in the manifest that its path leads to."""
        return Finding(
            violation.rule,
            violation.severity,
            violation.layer,
            violation.message,
            place(manifest, violation.path),
            violation.fix,
            self.reference(manifest),
            violation.path or None,
            tuple(related),
        )

    def finding(
        self,
        manifest: Manifest,
        rule: str,
        layer: Layer,
        message: str,
        fix: str,
        path: str = "",
        *,
        severity: Severity = Severity.ERROR,
        related: Iterable[Related] = (),
    ) -> Finding:
        """Return a finding about one object."""
        return self.objection(manifest, Violation(rule, layer, path, message, fix, severity), related)

    def reference(self, manifest: Manifest) -> ObjectRef:
        """Return how findings name an object."""
        return ObjectRef(
            self.environment,
            text(manifest.body, "kind"),
            name_of(manifest),
            namespace_of(manifest) or None,
            text(manifest.body, "apiVersion") or None,
        )


def name_of(manifest: Manifest) -> str:
    """Return the name; "" where there is none."""
    return _in_metadata(manifest, "name")


def namespace_of(manifest: Manifest) -> str:
    """Return the namespace; "" for a cluster-scoped object, on which the server drops what is written."""
    space = _in_metadata(manifest, "namespace")
    if space and text(manifest.body, "kind") in _CLUSTER_SCOPED_NAMES and kind_of(manifest.body) in CLUSTER_SCOPED:
        return ""
    return space


def _in_metadata(manifest: Manifest, key: str) -> str:
    """Return a string of the metadata; asked so often that it is not left to `text`."""
    metadata = manifest.body.get("metadata")
    found = metadata.get(key) if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def labels_of(manifest: Manifest) -> Mapping[str, Any]:
    return mapping(manifest.body, "metadata", "labels")


def annotations_of(manifest: Manifest) -> Mapping[str, Any]:
    return mapping(manifest.body, "metadata", "annotations")


def place(manifest: Manifest, path: str = "") -> Location:
    """Return where a printed path leads: in the text that the object was read from, else to the input that caused it.

    A user's object to which labels were added still knows where its other parts stand.
    """
    node: Any = manifest.body
    found = Location(node.file, node.line, node.column) if isinstance(node, Map) else None
    if found and manifest.origins and (set_by := manifest.locate(path)) is not manifest.origin:
        return set_by  # a patch, not the text that it patches
    for step in steps(path):
        if isinstance(node, Map) and step in node:
            nested = isinstance(node[step], Map | Seq)  # type: ignore[index]  # a Map's keys are strings, checked above
            found = Location(node.file, *(node.keys_at if nested else node.values_at)[str(step)])
        elif isinstance(node, Seq) and isinstance(step, int) and step < len(node):
            found = Location(node.file, *node.items_at[step])
        node = get(node, step)
        if node is None:
            break
        if found is None and isinstance(node, Map | Seq):
            found = Location(node.file, node.line, node.column)
    return found or manifest.locate(path)


def related(manifest: Manifest, path: str, message: str) -> Related:
    """Return a further place that helps to understand a finding."""
    return Related(place(manifest, path), message)
