"""A new repository compiles without a finding, whatever known releases it is for, and overwrites nothing."""

from pathlib import Path

import pytest
import yaml

from generator.cli import main
from generator.commands.ci_files import FORGES
from generator.releases import load as releases
from tests.repository import repository, snapshot

FILES = [
    ".gitattributes",
    ".github/workflows/apportion.yaml",
    ".gitignore",
    ".pre-commit-config.yaml",
    "README.md",
    "environments/fleet.yaml",
    "environments/lab/environment.yaml",
    "environments/lab/inventory.yaml",
    "environments/lab/quotas.yaml",
    "environments/teams.yaml",
]


CI_WITH_BRACES = (".github/workflows/apportion.yaml", ".tekton/apportion.yaml")  # they are the forge's own


def test_it_compiles_without_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "new"
    assert main(["init", str(root), "--name", "lab"]) == 0
    assert capsys.readouterr() == ("", f"{root}: 10 files written; next: apportion compile --root {root}\n")
    assert sorted(snapshot(root)) == sorted(FILES)
    assert main(["compile", "--root", str(root), "--fail-on", "info"]) == 0
    assert main(["check", "--root", str(root), "--fail-on", "info"]) == 0
    assert sorted(path.name for path in (root / "output/overlays").iterdir()) == ["lab"]


def test_compiled_files_keep_their_bytes_in_git_and_a_path_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "a new one"
    assert main(["init", str(root)]) == 0
    assert capsys.readouterr().err.endswith(f"next: apportion compile --root '{root}'\n")
    assert "output/** -text" in (root / ".gitattributes").read_text("utf-8")


def test_every_file_is_text_that_ends_with_a_newline_and_holds_no_template(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path), "--ci", ",".join(FORGES)]) == 0
    for path, data in snapshot(tmp_path).items():
        text = data.decode()
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path
        assert "[=" not in text, path
        assert "{%" not in text, path
        if path not in CI_WITH_BRACES:
            assert "{{" not in text, path
        if path.endswith(".yaml"):
            assert list(yaml.safe_load_all(text)), path


@pytest.mark.parametrize("version", releases.known("openshift-ai"))
@pytest.mark.parametrize("kueue", releases.known("kueue"))
def test_every_known_pair_of_releases_compiles(version: str, kueue: str, tmp_path: Path) -> None:
    release, other = releases.openshift_ai(version), releases.kueue(kueue)
    assert release is not None
    assert other is not None
    openshift = max(
        set(release.openshift) & set(other.openshift),
        key=lambda v: [int(part) for part in v.split(".")],
        default=None,
    )
    chosen = ["--openshift-ai", version, "--kueue", kueue, "--openshift", openshift or "4.20"]
    status = main(["init", str(tmp_path / "new"), *chosen])
    if openshift is None:
        assert (status, list(tmp_path.iterdir())) == (2, [])
        return
    assert status == 0
    assert main(["compile", "--root", str(tmp_path / "new")]) == 0


@pytest.mark.parametrize("present", ["README.md", "environments/prod/quotas.yaml", ".gitignore"])
def test_a_file_that_is_there_stops_it_before_it_writes(
    present: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / present).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / present).write_text("mine\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("mine too\n", encoding="utf-8")
    assert main(["init", str(tmp_path)]) == 2
    assert snapshot(tmp_path) == {present: b"mine\n", "other.txt": b"mine too\n"}
    assert capsys.readouterr().err == (
        f"apportion: {tmp_path} has {present} already\n"
        "  fix: move them away, or name another folder; --only-ci adds CI to a repository that exists\n"
    )


def test_a_dangling_link_counts_as_present(tmp_path: Path) -> None:
    (tmp_path / "README.md").symlink_to("nowhere")
    assert main(["init", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kueue", "9.9"], "Red Hat build of Kueue 9.9 is not a known release"),
        (["--openshift-ai", "3"], "platform.openshiftAI is '3'"),
        (["--name", "Prod"], "name is 'Prod'"),
        (["--name", "../up"], "name is '../up'"),
    ],
)
def test_what_would_not_compile_is_not_written(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "new"), *options]) == 2
    assert capsys.readouterr().err.startswith(f"apportion: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new").write_text("a file\n", encoding="utf-8")
    assert main(["init", str(tmp_path / "new")]) == 2
    assert "cannot write" in capsys.readouterr().err


CI = {
    "github": [".github/workflows/apportion.yaml"],
    "gitlab": [".gitlab-ci.yml", ".gitlab/apportion.yaml"],
    "tekton": [".tekton/apportion.yaml"],
}


@pytest.mark.parametrize(
    ("options", "forges"),
    [
        ([], ["github"]),
        (["--ci", "none"], []),
        (["--ci", "gitlab"], ["gitlab"]),
        (["--ci", "github, tekton", "--ci", "gitlab"], ["github", "gitlab", "tekton"]),
    ],
)
def test_ci_is_of_the_forges_that_are_named(options: list[str], forges: list[str], tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "new"), "--name", "lab", *options]) == 0
    expected = [path for forge in forges for path in CI[forge]]
    assert sorted(snapshot(tmp_path / "new")) == sorted([*(set(FILES) - set(CI["github"])), *expected])


def test_a_forge_that_is_not_known_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "new"), "--ci", "github,jenkins"]) == 2
    assert "no such forge: 'jenkins' (known are: github, gitlab, tekton, none)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_only_ci_adds_to_a_repository_that_exists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(repository(tmp_path, ci="none"))
    capsys.readouterr()
    assert main(["init", str(tmp_path), "--only-ci", "--ci", ",".join(FORGES)]) == 0
    assert capsys.readouterr().err == f"{tmp_path}: 4 files written\n"
    after = snapshot(tmp_path)
    assert sorted(after.keys() - before.keys()) == sorted(path for paths in CI.values() for path in paths)
    assert {path: after[path] for path in before} == before


def test_gitlab_s_own_file_stays_and_what_to_include_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository(tmp_path)
    (tmp_path / ".gitlab-ci.yml").write_text("mine: { script: [make] }\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["init", str(tmp_path), "--only-ci", "--ci", "gitlab"]) == 0
    assert capsys.readouterr().err == (
        f"{tmp_path}: 1 file written; next: add to .gitlab-ci.yml what includes .gitlab/apportion.yaml:\n"
        "include:\n  - local: .gitlab/apportion.yaml\n"
    )
    assert (tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8") == "mine: { script: [make] }\n"
    assert main(["init", str(tmp_path), "--only-ci", "--ci", "gitlab"]) == 2


def test_only_ci_needs_a_repository_and_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "new"), "--only-ci"]) == 2
    expected = "has no folder environments/\n  fix: leave out --only-ci to begin a repository\n"
    assert expected in capsys.readouterr().err
    before = snapshot(repository(tmp_path))
    assert main(["init", str(tmp_path), "--only-ci", "--ci", "tekton,github"]) == 2
    assert f"{tmp_path} has .github/workflows/apportion.yaml already" in capsys.readouterr().err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("day", ["2026-11-30", "2026-12-01", "2026-12-15"])
def test_its_overrides_compile_once_they_are_wanted(
    day: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path)]) == 0
    quotas = tmp_path / "environments/prod/quotas.yaml"
    text = quotas.read_text("utf-8")
    head, overrides = text.split("# overrides:")
    quotas.write_text(head + "overrides:" + overrides.replace("\n#", "\n"), encoding="utf-8")
    assert len(yaml.safe_load(quotas.read_text("utf-8"))["overrides"]) == 2
    assert main(["compile", "--root", str(tmp_path), "--as-of", day, "--fail-on", "warning"]) == 0, capsys.readouterr()
