import json

import pytest

from generator import lock
from generator.lock import Lock

FILES = {"resources.yaml": "a: 1\n", "kustomization.yaml": "ü\n"}
TEXT = lock.render(FILES, inputs="sha256:1", tool="1.2.0", data="2026.1", as_of=None)

RENDERED = """\
{
  "asOf": null,
  "data": "2026.1",
  "files": {
    "kustomization.yaml": "sha256:599c7c0c70071ddf9568a4b07213a61a06ddb301f494a3477c69aaf04c1ad1cd",
    "resources.yaml": "sha256:37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae"
  },
  "inputs": "sha256:1",
  "tool": "1.2.0",
  "version": 1
}
"""


def test_text() -> None:
    assert TEXT == RENDERED


def test_what_is_rendered_is_parsed() -> None:
    digests = {name: lock.digest(text) for name, text in FILES.items()}
    assert lock.parse(TEXT) == Lock("1.2.0", "2026.1", None, "sha256:1", digests)


@pytest.mark.parametrize("value", ['quote " and \\', "line\nend", "\x00", "ü", ""])
def test_any_text_comes_back(value: str) -> None:
    text = lock.render({}, inputs=value, tool=value, data=value, as_of=value)
    assert lock.parse(text) == Lock(value, value, value, value, {})


def test_text_is_what_json_writes() -> None:
    assert json.dumps(json.loads(TEXT), indent=2, sort_keys=True) + "\n" == TEXT


def test_digest_of_text_is_that_of_its_utf8_bytes() -> None:
    empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (lock.digest(""), lock.digest("ü")) == (empty, lock.digest(b"\xc3\xbc"))


def changed(**fields: object) -> str:
    return json.dumps(json.loads(TEXT) | fields)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(TEXT[:-4], id="cut off"),
        pytest.param("<<<<<<< HEAD\n" + TEXT, id="merge conflict"),
        pytest.param(TEXT.replace('"tool"', '"tool": "1",\n  "tool"'), id="key twice"),
        pytest.param("[]", id="list"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("1" * 5_000, id="long number"),
        pytest.param("{}", id="no keys"),
        pytest.param(changed(more=1), id="unknown key"),
        pytest.param(changed(version=2), id="unknown version"),
        pytest.param(changed(tool=1), id="tool is a number"),
        pytest.param(changed(data=None), id="data is null"),
        pytest.param(changed(inputs=[]), id="inputs are a list"),
        pytest.param(changed(asOf=20260101), id="date is a number"),
        pytest.param(changed(files=[]), id="files are a list"),
        *(
            pytest.param(changed(files={name: lock.digest("")}), id=f"name {name!r}")
            for name in ("", ".", "..", "../x", "/x", "a/b", "a\0")
        ),
        *(
            pytest.param(changed(files={"a": value}), id=f"digest {value!r}")
            for value in (None, "", "sha256:", "sha256:" + "g" * 64, "sha256:" + "0" * 63, "sha256:" + "0" * 65)
        ),
    ],
)
def test_what_is_no_lock_is_none(text: str) -> None:
    assert lock.parse(text) is None


@pytest.mark.parametrize("name", ["...", ".hidden", "a b", "a\nb", "ü.yaml"])
def test_odd_names_in_the_same_folder_are_a_lock(name: str) -> None:
    found = lock.parse(changed(files={name: lock.digest("")}))
    assert found is not None
    assert found.files == {name: lock.digest("")}
