"""What `render` takes for a build of a folder is what the real tool builds, object for object."""

from generator.emit.built import built as rendered
from generator.emit.leaves import Leaf
from generator.environment.load import load
from generator.kustomize import build
from generator.plan.resolve import resolve
from generator.policy import gate, shipped
from tests.samples import Built, identity, input_files, objects


def leaves() -> dict[str, Leaf]:
    given, _ = load(input_files())
    plans = [resolve(inputs, None)[0] for inputs in given.environments.values()]
    policies, _ = shipped.policies(None)
    overlays = [build(plan, gate.guards(policies, plan)[0])[0] for plan in plans if plan]
    return {leaf.path: leaf for overlay in overlays for leaf in overlay.leaves}


def test_every_folder_of_the_samples(built: Built) -> None:
    from generator.manifest import dump_all

    found = leaves()
    assert set(found) == {path for path in built if path.count("/") > 1 and path.startswith("overlays/")}
    different = [
        path
        for path, leaf in found.items()
        if sorted(objects(dump_all(rendered(leaf))), key=identity) != sorted(built[path], key=identity)
    ]
    assert different == []


def test_the_samples_have_what_makes_a_build_more_than_a_copy() -> None:
    found = leaves().values()
    assert any(leaf.bases and leaf.manifests for leaf in found)
    assert any(leaf.patches for leaf in found)
    assert any(leaf.labels for leaf in found if leaf.bases)


def test_objects_of_a_base_stay_as_they_are() -> None:
    """Two environments are built on one base, and its objects are the same ones in a run of both."""
    [leaf, *_] = [leaf for leaf in leaves().values() if leaf.patches]
    before = {path: [repr(m.body) for m in manifests] for path, manifests in leaf.bases.items()}
    list(rendered(leaf))
    assert {path: [repr(m.body) for m in manifests] for path, manifests in leaf.bases.items()} == before
