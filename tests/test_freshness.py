"""What `check` says of an output/ that is not what the inputs yield: the exact finding for each cause."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from generator import difference
from generator.difference import Difference, Scope, Tree
from generator.disk import Disk
from generator.finding import Finding, Layer
from generator.output import compare, write
from tests.trees import everything, folder, on_disk, written, yaml

PROD = folder("overlays/prod")
NLP = folder("overlays/prod/queues/nlp", resources="n")
VISION = folder("overlays/prod/queues/vision", resources="v")
DEV = folder("overlays/dev")
CORE = folder("base/operators/kueue", resources="b")
TREE = PROD | NLP | VISION | DEV | CORE

Told = tuple[str, str, str, str, str]  # severity, rule, place, message, fix


def told(findings: list[Finding]) -> list[Told]:
    assert {finding.layer for finding in findings} <= {Layer.OUTPUT}
    return [(str(f.severity), f.rule, str(f.location), f.message, f.fix or "") for f in findings]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return written(tmp_path / "output", TREE)


def test_what_was_compiled_is_fresh(output: Path) -> None:
    assert compare(output, TREE, everything) == []


def test_an_absent_output_is_one_error(tmp_path: Path) -> None:
    message = "output is missing: its inputs were never compiled, or it was not committed"
    expected = [("error", "output-missing", "output", message, "run apportion compile")]
    assert told(compare(tmp_path / "output", TREE, everything)) == expected
    (tmp_path / "output").mkdir()
    assert told(compare(tmp_path / "output", TREE, everything)) == expected


def test_no_input_and_no_output_agree(tmp_path: Path) -> None:
    assert compare(tmp_path / "output", {}, everything) == []


def test_an_absent_environment_is_one_error(tmp_path: Path) -> None:
    output = written(tmp_path / "output", DEV, CORE)
    message = "output/overlays/prod is missing: its inputs were never compiled, or it was not committed"
    assert told(compare(output, TREE, everything)) == [
        ("error", "output-missing", "output/overlays/prod", message, "run apportion compile prod")
    ]


def test_an_environment_with_foreign_files_alone_is_missing(tmp_path: Path) -> None:
    output = written(tmp_path / "output", DEV)
    (output / "overlays/prod").mkdir()
    (output / "overlays/prod/queues").touch()
    assert [(f.rule, str(f.location)) for f in compare(output, DEV | PROD | NLP, everything)] == [
        ("output-missing", "output/overlays/prod"),
        ("output-foreign-file", "output/overlays/prod/queues"),
    ]


def stale(place: str, message: str, fix: str = "run apportion compile prod") -> list[Told]:
    return [("error", "output-stale", place, message, fix)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"inputs": "x"}, "the inputs changed"),
        ({"tool": "2"}, "apportion was 1 and is 2"),
        ({"data": "2"}, "release data was 1 and is 2"),
        ({"as_of": "2026-12-01"}, "compiled without dated overrides, and those since 2026-12-01 apply"),
        ({"inputs": "x", "tool": "2"}, "the inputs changed, apportion was 1 and is 2"),
    ],
)
def test_a_stale_folder_says_what_changed(output: Path, change: dict[str, str], reason: str) -> None:
    changed = folder("overlays/prod/queues/nlp", resources="other", more="m", **change)
    message = f"output/overlays/prod is stale ({reason}): 1 folder to compile again: queues/nlp"
    assert told(compare(output, TREE | changed, everything)) == stale("output/overlays/prod/queues/nlp", message)


def test_overrides_that_no_date_asks_for_are_stale(tmp_path: Path) -> None:
    """To compile is no remedy as such: it would take out an override that applies today."""
    output = written(tmp_path / "output", folder("overlays/prod", as_of="2026-12-01"))
    reason = "compiled with the overrides since 2026-12-01, and without --as-of none applies"
    message = f"output/overlays/prod is stale ({reason}): 1 folder to compile again: ."
    [(severity, rule, place, said, fix)] = told(compare(output, folder("overlays/prod"), everything))
    assert (severity, rule, place, said) == ("error", "output-stale", "output/overlays/prod", message)
    day = "check as of the day that it was compiled for (--as-of)"
    assert fix == f"{day}, or run apportion compile prod, as of the day that shall count"


def test_a_stale_folder_hides_what_follows_from_it(output: Path) -> None:
    changed = folder("overlays/prod/queues/nlp", inputs="x", other="o")
    message = "output/overlays/prod is stale (the inputs changed): 1 folder to compile again: queues/nlp"
    rest = {path: text for path, text in TREE.items() if path not in NLP}
    assert told(compare(output, rest | changed, everything)) == stale("output/overlays/prod/queues/nlp", message)


def test_many_stale_folders_are_one_error(tmp_path: Path) -> None:
    def teams(inputs: str) -> dict[str, str]:
        made = [folder(f"overlays/prod/queues/t{number}", inputs=inputs) for number in range(1, 6)]
        return {path: text for each in made for path, text in each.items()}

    output = written(tmp_path / "output", PROD, teams("old"))
    message = (
        "output/overlays/prod is stale (the inputs changed): 6 folders to compile again: "
        "., queues/t1, queues/t2 and 3 more"
    )
    found = told(compare(output, folder("overlays/prod", inputs="new") | teams("new"), everything))
    assert found == stale("output/overlays/prod", message)


def test_the_base_is_stale_for_all(output: Path) -> None:
    message = "output/base is stale (the inputs changed): 1 folder to compile again: operators/kueue"
    changed = folder("base/operators/kueue", inputs="x", resources="b")
    found = told(compare(output, TREE | changed, everything))
    assert found == stale("output/base/operators/kueue", message, "run apportion compile")


def test_a_new_folder_is_stale(tmp_path: Path) -> None:
    output = written(tmp_path / "output", PROD, NLP)
    message = (
        "output/overlays/prod is stale (not compiled before for these inputs): 1 folder to compile again: queues/vision"
    )
    found = told(compare(output, PROD | NLP | VISION, everything))
    assert found == stale("output/overlays/prod/queues/vision", message)


PLACE = "output/overlays/prod/queues/nlp"
EDITED = "in output/overlays/prod/queues/nlp is not as compiled: edited by hand, damaged or unreadable"
BROKEN = f"{PLACE}/apportion.lock cannot be read as a lock: it is cut off, edited or in a merge conflict"
INSTEAD = "change environments/ instead, and run apportion compile prod"
AGAIN = "run apportion compile prod"
REMOVES = "run apportion compile prod, which removes what is left over"
KEEP = "keep files of your own out of output/; extra/ in an environment takes manifests"


def edit(*names: str, text: str = "edited") -> Callable[[Path], None]:
    def change(nlp: Path) -> None:
        for name in names:
            (nlp / name).write_text(text)

    return change


def lose(*names: str) -> Callable[[Path], None]:
    def change(nlp: Path) -> None:
        for name in names:
            (nlp / name).unlink()

    return change


def swap(name: str) -> Callable[[Path], None]:
    def change(nlp: Path) -> None:
        (nlp / name).unlink()
        os.mkfifo(nlp / name)

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            edit("resources.yaml"),
            [("error", "output-edited", f"{PLACE}/resources.yaml", f"resources.yaml {EDITED}", INSTEAD)],
            id="edited",
        ),
        pytest.param(
            edit("resources.yaml", "kustomization.yaml"),
            [
                (
                    "error",
                    "output-edited",
                    f"{PLACE}/kustomization.yaml",
                    f"kustomization.yaml, resources.yaml {EDITED}",
                    INSTEAD,
                )
            ],
            id="two edited",
        ),
        pytest.param(
            edit("apportion.lock", text=NLP["overlays/prod/queues/nlp/apportion.lock"] + "\n"),
            [("error", "output-edited", f"{PLACE}/apportion.lock", f"apportion.lock {EDITED}", INSTEAD)],
            id="lock edited",
        ),
        pytest.param(
            edit("apportion.lock", text="<<<<<<< HEAD\n"),
            [("error", "output-lock-broken", f"{PLACE}/apportion.lock", BROKEN, AGAIN)],
            id="merge conflict",
        ),
        pytest.param(
            edit("apportion.lock", "resources.yaml", text=yaml("<<<<<<< HEAD")),
            [("error", "output-lock-broken", f"{PLACE}/apportion.lock", BROKEN, AGAIN)],
            id="merge conflict in both",
        ),
        pytest.param(
            lose("resources.yaml"),
            [
                (
                    "error",
                    "output-file-missing",
                    f"{PLACE}/resources.yaml",
                    f"resources.yaml is missing from {PLACE}",
                    AGAIN,
                )
            ],
            id="missing",
        ),
        pytest.param(
            lose("apportion.lock"),
            [
                (
                    "error",
                    "output-file-missing",
                    f"{PLACE}/apportion.lock",
                    f"apportion.lock is missing from {PLACE}",
                    AGAIN,
                )
            ],
            id="lock missing",
        ),
        pytest.param(
            edit("old.yaml", text=yaml("o")),
            [
                (
                    "error",
                    "output-left-over",
                    f"{PLACE}/old.yaml",
                    "no input yields queues/nlp/old.yaml in output/overlays/prod any more",
                    REMOVES,
                )
            ],
            id="left over",
        ),
        pytest.param(
            edit("b.txt", "a\nb.txt"),
            [
                (
                    "warning",
                    "output-foreign-file",
                    f"{PLACE}/a\\nb.txt",
                    f"a\\nb.txt, b.txt in {PLACE} was not written by Apportion",
                    KEEP,
                )
            ],
            id="foreign",
        ),
        pytest.param(
            swap("resources.yaml"),
            [
                (
                    "error",
                    "output-foreign-file",
                    f"{PLACE}/resources.yaml",
                    f"{PLACE}/resources.yaml is a device, pipe or socket that Apportion did not write, "
                    "and generated files must go there",
                    f"move {PLACE}/resources.yaml out of output/, then run apportion compile",
                )
            ],
            id="fifo",
        ),
    ],
)
def test_a_damaged_folder_has_one_finding(output: Path, change: Callable[[Path], None], expected: list[Told]) -> None:
    change(output / "overlays/prod/queues/nlp")
    before = on_disk(output)
    assert told(compare(output, TREE, everything)) == expected
    assert on_disk(output) == before


def test_what_no_input_yields_is_left_over_once_per_environment(output: Path) -> None:
    named = "queues/nlp/apportion.lock, queues/nlp/kustomization.yaml, queues/nlp/resources.yaml and 3 more"
    message = f"no input yields {named} in output/overlays/prod any more"
    assert told(compare(output, PROD | DEV | CORE, everything)) == [
        ("error", "output-left-over", f"{PLACE}/apportion.lock", message, REMOVES)
    ]


def test_foreign_files_beside_our_folders_are_nobodys_concern(output: Path) -> None:
    (output / "README.md").write_text("mine")
    (output / "overlays/prod/queues/README.md").write_text("mine")
    assert compare(output, TREE, everything) == []


def test_names_that_are_no_text_are_shown_escaped(output: Path) -> None:
    os.close(os.open(os.fsencode(output / "overlays/dev") + b"/\xff", os.O_CREAT))
    assert [str(finding.location) for finding in compare(output, TREE, everything)] == ["output/overlays/dev/\\udcff"]


def test_an_unreadable_folder_is_told(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(path: str) -> object:
        if path.rstrip("/").endswith("queues"):
            raise PermissionError(13, "Permission denied")  # as root nothing is unreadable
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    message = (
        "output/overlays/prod/queues is an unreadable folder that Apportion did not write, "
        "and generated files must go there"
    )
    fix = "move output/overlays/prod/queues out of output/, then run apportion compile"
    assert told(compare(output, TREE, everything)) == [
        ("error", "output-foreign-file", "output/overlays/prod/queues", message, fix)
    ]


def test_what_changes_while_it_is_read_is_not_accepted(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = difference.between

    def slow(disk: Disk, tree: Tree, scope: Scope) -> Difference:
        found = real(disk, tree, scope)
        monkeypatch.undo()
        write(output, TREE | folder("overlays/new"), everything)
        return found

    monkeypatch.setattr(difference, "between", slow)
    os.utime(output, ns=(1, 1))
    assert [finding.rule for finding in compare(output, TREE, everything)] == ["output-unfinished"]


def test_a_fresh_tree_is_what_compile_leaves_alone(output: Path) -> None:
    """Whatever compare finds in error, write mends, and nothing else."""
    nlp = output / "overlays/prod/queues/nlp"
    for change in (edit("resources.yaml"), lose("apportion.lock"), edit("old.yaml", text=yaml("o"))):
        change(nlp)
        assert compare(output, TREE, everything) != []
        write(output, TREE, everything)
        assert compare(output, TREE, everything) == []
