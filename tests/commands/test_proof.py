"""`check` says again what the last compile found, but only where nothing at all has changed since."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator import lock, package
from generator.cli import main
from generator.commands import pipeline, proof
from generator.commands.progress import Progress
from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.report.kept import read_finding, written_finding
from generator.validate.objects import validate_object
from tests.repository import ENVIRONMENT, QUOTAS, edit, repository, snapshot

SHARE = ("h100: { accelerators: 8 }", "h100: { accelerators: 4 }")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a compiled repository that has findings, the cache of a user, and copies of both."""
    place = tmp_path_factory.mktemp("proof")
    made = repository(place / "repository")
    edit(made / QUOTAS, *SHARE)
    edit(made / "environments/teams.yaml", "contact: vision-leads@example.com\n", "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        assert main(["compile", "--root", str(made), "--quiet"]) == 0
    for name in ("repository", "cache"):
        shutil.copytree(place / name, place / f"{name} as it was")
    return place


@pytest.fixture
def root(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository as it was, where it was: what is kept is of that place."""
    for name in ("repository", "cache"):
        shutil.rmtree(place / name)
        shutil.copytree(place / f"{name} as it was", place / name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "cache"))
    return place / "repository"


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gather one entry for each compile."""
    done: list[str] = []
    real = pipeline.run

    def run(*arguments: object, **more: object) -> object:
        done.append("compiled")
        return real(*arguments, **more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(pipeline, "run", run)
    return done


def check(root: Path, *options: str) -> int:
    return main(["check", "--root", str(root), *options])


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github"])
def test_what_was_found_is_said_again(
    root: Path, compiles: list[str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(root)
    assert (check(root, "--format", form), compiles) == (0, [])
    kept = capsys.readouterr()
    assert (check(root, "--format", form, "--full"), compiles) == (0, ["compiled"])
    assert capsys.readouterr() == kept
    assert "team-without-contact" in kept.out
    assert snapshot(root) == before


def test_the_severity_that_fails_is_asked_each_time(root: Path, compiles: list[str]) -> None:
    assert [check(root, "--fail-on", severity) for severity in ("error", "info")] == [0, 1]
    assert compiles == []


def test_nothing_is_kept_in_the_repository(root: Path) -> None:
    assert {path.split("/")[0] for path in snapshot(root)} == {path.name for path in root.iterdir()}
    assert not [path for path in snapshot(root) if "cache" in path]


def _edited_with_its_lock(root: Path) -> None:
    folder = root / "output/overlays/prod/profiles"
    path, held = folder / "resources.yaml", folder / lock.NAME
    old = lock.digest(path.read_bytes())
    path.write_text(path.read_text() + "# by hand\n")
    edit(held, old, lock.digest(path.read_bytes()))


def _both_sides(root: Path) -> None:
    held = root / "output/overlays/prod/profiles" / lock.NAME
    text = held.read_text()
    held.write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")


def _renamed(root: Path) -> None:
    edit(root / ENVIRONMENT, "name: prod", "name: live")
    (root / "environments/prod").rename(root / "environments/live")


def _linked(root: Path) -> None:
    (root / RESOURCES).rename(root / "elsewhere")
    (root / RESOURCES).symlink_to(root / "elsewhere")


def _own_policy(root: Path) -> None:
    (root / "policies").mkdir()
    (root / "policies/mine.yaml").write_text("a: 1\n")


RESOURCES = "output/overlays/prod/queues/shared/resources.yaml"
CHANGES: dict[str, Callable[[Path], object]] = {
    "an input": lambda root: edit(root / QUOTAS, *reversed(SHARE)),
    "a comment of an input": lambda root: (root / QUOTAS).write_text((root / QUOTAS).read_text() + "# why\n"),
    "another input": lambda root: (root / "environments/x.yaml").write_text(""),
    "an input less": lambda root: (root / "environments/teams.yaml").unlink(),
    "a renamed environment": _renamed,
    "a link that leads away": lambda root: (root / "environments/y.yaml").symlink_to("/etc/hosts"),
    "output": lambda root: (root / RESOURCES).write_text((root / RESOURCES).read_text() + "# by hand\n"),
    "output and its lock": _edited_with_its_lock,
    "an emptied file": lambda root: (root / RESOURCES).write_text(""),
    "a deleted file": lambda root: (root / RESOURCES).unlink(),
    "a deleted lock": lambda root: (root / RESOURCES).with_name(lock.NAME).unlink(),
    "a file of others": lambda root: (root / RESOURCES).with_name("mine.yaml").write_text("a: 1\n"),
    "a file beside all": lambda root: (root / "output/README.md").write_text("x\n"),
    "a merge that took both sides": _both_sides,
    "a link in place of a file": _linked,
    "no output": lambda root: (root / "output").rename(root / "before"),
    "a policy": _own_policy,
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_any_change_everything_is_compiled(root: Path, compiles: list[str], change: str) -> None:
    CHANGES[change](root)
    check(root, "--quiet")
    assert compiles == ["compiled"]


@pytest.mark.parametrize(
    "options", [["--as-of", "2026-11-30"], ["--full"], ["--inputs-only"], ["prod"]], ids=lambda options: options[0]
)
def test_what_the_compile_was_not_asked_is_compiled(root: Path, compiles: list[str], options: list[str]) -> None:
    assert (check(root, "--quiet", *options), compiles) == (0, ["compiled"])


@pytest.mark.parametrize("what", ["policies", "program"])
def test_what_changed_while_it_was_compiled_is_not_kept(
    root: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    real = pipeline.run

    def run(*arguments: object, **more: object) -> object:
        if what == "policies":
            _own_policy(root)
        else:
            monkeypatch.setattr("generator.package.fingerprint", lambda: "another")
        return result

    kept = Path(proof._file(root))
    kept.unlink()
    result = real(root, [], None, Progress(sys.stderr, quiet=True))
    monkeypatch.setattr(pipeline, "run", run)
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    assert not kept.exists()


def test_odd_files_among_policies_neither_hold_nor_break_it(root: Path, compiles: list[str]) -> None:
    (root / "policies").mkdir()
    os.mkfifo(root / "policies/pipe.yaml")
    (root / "policies/gone.yaml").symlink_to("nowhere")
    (root / os.fsdecode(b"policies/\xff.yaml")).write_text("#\n")
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


def test_a_library_of_another_version_compiles(
    root: Path, compiles: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site-packages"
    place.mkdir()
    monkeypatch.syspath_prepend(place)
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])
    (place / "cel-2.dist-info").mkdir()
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"] * 2)


def test_a_file_of_the_program_that_keeps_size_and_time_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "PACKAGE", str(tmp_path))
    file = tmp_path / "rule.py"
    file.write_text("limit = 1\n")
    before, times = package.fingerprint(), file.stat()
    while file.stat().st_ctime_ns == times.st_ctime_ns:  # the clock of files is coarse
        file.write_text("limit = 2\n")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert package.fingerprint() != before


def test_another_version_of_the_program_compiles(
    root: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generator.package.fingerprint", lambda: "another")
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


def test_a_compile_of_a_day_is_kept_for_that_day(root: Path, compiles: list[str]) -> None:
    assert main(["compile", "--root", str(root), "--quiet", "--as-of", "2026-11-30"]) == 0
    compiles.clear()
    assert (check(root, "--quiet", "--as-of", "2026-11-30"), compiles) == (0, [])


@pytest.mark.parametrize("broken", ["", "x", "[]", "{}", '{"program": 1}'])
def test_a_broken_cache_is_as_none(root: Path, compiles: list[str], broken: str) -> None:
    Path(proof._file(root)).write_text(broken)
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


@pytest.mark.parametrize("part", ["locks", "grounds", "findings", "waived"])
def test_a_damaged_cache_is_as_none(root: Path, compiles: list[str], part: str) -> None:
    path = Path(proof._file(root))
    first, rest = path.read_text().split("\n")
    path.write_text(f"{first}\n{json.dumps(json.loads(rest) | {part: [['x']]})}")
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    os.truncate(path, proof._LARGEST + 1)


@pytest.mark.parametrize("replace", [_pipe, _folder, _device, _huge])
def test_what_is_no_file_of_ours_is_as_none(root: Path, compiles: list[str], replace: Callable[[Path], None]) -> None:
    path = Path(proof._file(root))
    replace(path)
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    assert list(path.parent.iterdir()) == [path]


def test_what_another_user_kept_is_as_none(root: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


@pytest.mark.parametrize("cache", [os.devnull, "relative/cache"])
def test_without_a_place_to_keep_it_everything_is_compiled(
    root: Path, compiles: list[str], cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"] * 2)


def test_part_of_a_compile_is_not_kept(root: Path, compiles: list[str]) -> None:
    edit(root / QUOTAS, *reversed(SHARE))
    assert main(["compile", "--root", str(root), "--quiet", "prod"]) == 0
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"] * 2)


def test_two_repositories_do_not_mix(root: Path, compiles: list[str], tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    assert (check(other, "--quiet"), compiles) == (1, ["compiled"])
    assert (check(root, "--quiet"), compiles) == (0, ["compiled"])


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gather the kinds of the objects that schemas are asked about."""
    kinds: list[str] = []
    real = validate_object

    def validate(body: Any, *more: Any, **named: Any) -> Any:
        kinds.append(body["kind"])
        return real(body, *more, **named)

    monkeypatch.setattr("generator.validate.schema_check.validate_object", validate)
    return kinds


def test_after_a_change_schemas_are_asked_about_what_changes(root: Path, judged: list[str]) -> None:
    edit(root / QUOTAS, *reversed(SHARE))
    assert check(root, "--quiet", "--inputs-only") == 0
    assert {"ClusterQueue", "LocalQueue"} <= set(judged) <= {"ClusterQueue", "LocalQueue", "Namespace", "RoleBinding"}
    few = len(judged)
    assert check(root, "--quiet", "--inputs-only", "--full") == 0
    assert len(judged) - few > 5 * few


@pytest.mark.parametrize(
    "change",
    [
        lambda root: edit(root / ENVIRONMENT, 'openshift: "4.20"', 'openshift: "4.21"'),
        lambda root: edit(root / ENVIRONMENT, 'kueue: "1.3"', 'kueue: "1.2"'),
        lambda root: _own_definition(root, "environments/crds"),
        lambda root: _own_definition(root, "environments/prod/crds"),
    ],
    ids=["openshift", "kueue", "CRDs of all", "CRDs of one"],
)
def test_where_schemas_may_be_others_they_are_asked_about_all(
    root: Path, judged: list[str], change: Callable[[Path], object]
) -> None:
    change(root)
    check(root, "--quiet", "--inputs-only")
    by_memory = list(judged)
    judged.clear()
    check(root, "--quiet", "--inputs-only", "--full")
    assert sorted(by_memory) == sorted(judged)


def test_a_definition_that_now_refuses_is_heard(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The objects are as they were judged, and the schema is another."""
    _own_definition(root, "environments/prod/crds")
    assert check(root, "--inputs-only") == 1
    assert "error[field-unknown] spec is no field of this kind" in capsys.readouterr().out


def _own_definition(root: Path, folder: str) -> None:
    """Store a CRD under which no ResourceFlavor has a spec."""
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "resourceflavors.kueue.x-k8s.io"},
        "spec": {
            "group": "kueue.x-k8s.io",
            "names": {"kind": "ResourceFlavor", "plural": "resourceflavors"},
            "scope": "Cluster",
            "versions": [
                {
                    "name": "v1beta2",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {}}},
                }
            ],
        },
    }
    path = root / "flavors.yaml"
    path.write_text(json.dumps(definition))
    options = ["--env", "prod"] if "prod" in folder else []
    assert main(["crds", "import", str(path), "--root", str(root), "--quiet", *options]) == 0
    path.unlink()


def test_findings_come_back_as_they_were() -> None:
    place = Location("a.yaml", 1, 2)
    about = ObjectRef("prod", "ClusterQueue", "q", None, "kueue.x-k8s.io/v1beta2")
    whole = Finding("r", Severity.INFO, Layer.CEL, "m", place, "f", about, "spec", (Related(place, "there"),))
    for finding in (whole, Finding("r", Severity.ERROR, Layer.INPUT, "m")):
        assert read_finding(json.loads(json.dumps(written_finding(finding)))) == finding
