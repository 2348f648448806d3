"""Small output trees, and what lies on the disk: files to their text, folders to None, links to "-> target"."""

import os
from itertools import chain
from pathlib import Path, PurePosixPath

from generator import lock
from generator.output import HEADER, Written, write


def everything(path: str) -> bool:
    return True


def yaml(text: str) -> str:
    return f"{HEADER}\n{text}\n"


def folder(
    path: str, *, inputs: str = "i", tool: str = "1", data: str = "1", as_of: str | None = None, **files: str
) -> dict[str, str]:
    """Return one compiled folder; `resources="a"` is resources.yaml with the header and "a"."""
    texts = {f"{name}.yaml": yaml(text) for name, text in ({"kustomization": "k"} | files).items()}
    texts[lock.NAME] = lock.render(texts, inputs=lock.digest(inputs), tool=tool, data=data, as_of=as_of)
    return {f"{path}/{name}": text for name, text in texts.items()}


def state(tree: dict[str, str]) -> dict[str, str | None]:
    """Return what lies on the disk when the tree and nothing else is there."""
    folders = {str(above): None for path in tree for above in list(PurePosixPath(path).parents)[:-1]}
    return {**folders, **tree}


def on_disk(output: Path) -> dict[str, str | None]:
    """Return all that lies below output/, which may be absent."""
    found = [os.path.join(above, name) for above, *names in os.walk(output) for name in chain(*names)]  # noqa: PTH118  # rglob is slow
    return {os.path.relpath(path, output): _content(Path(path)) for path in found}


def written(output: Path, *trees: dict[str, str]) -> Path:
    """Write the trees as one and return output/."""
    tree = {path: text for tree in trees for path, text in tree.items()}
    assert write(output, tree, everything) == Written(len(tree), 0, 0)
    return output


def _content(path: Path) -> str | None:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return path.read_text() if path.is_file() else None
