"""Where the package's own files are, and whether they are those of an earlier run."""

from __future__ import annotations

import os
from hashlib import sha256

_PACKAGE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not worth its price here


def policies() -> str:
    """Return the folder of the shipped policies: inside the installed package, or policies/ of the checkout."""
    installed = f"{_PACKAGE}/_policies"
    return installed if os.path.isdir(installed) else f"{os.path.dirname(_PACKAGE)}/policies"  # noqa: PTH112, PTH120


def fingerprint() -> str:
    """Return a digest of names, sizes and times of all files of the package, code, facts and policies alike."""
    digest = sha256()
    for place in sorted({_PACKAGE, policies()}):
        for folder, below, names in os.walk(place):
            below[:] = sorted(name for name in below if name != "__pycache__")
            for name in sorted(names):
                found = os.stat(f"{folder}/{name}")  # noqa: PTH116
                digest.update(
                    f"{folder}/{name}\0{found.st_mtime_ns}\0{found.st_size}\n".encode(errors="surrogateescape")
                )
    return digest.hexdigest()
