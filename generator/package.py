"""Where the package's own files are, and whether they are those of an earlier run."""

from __future__ import annotations

import os
import sys
from hashlib import sha256

from generator.kept import PACKAGE


def policies() -> str:
    """Return the folder of the shipped policies: inside the installed package, or policies/ of the checkout."""
    installed = f"{PACKAGE}/_policies"
    return installed if os.path.isdir(installed) else f"{os.path.dirname(PACKAGE)}/policies"  # noqa: PTH112, PTH120


def fingerprint() -> str:
    """Return a digest of names, sizes and times of all files of the package, code, facts and policies alike.

    Of Python and the libraries it tells the version of the one, and when the others were last installed or removed.
    """
    digest = sha256(sys.version.encode())
    for place in sys.path:
        if place.endswith("site-packages") and os.path.isdir(place):  # noqa: PTH112
            digest.update(f"{place}\0{os.stat(place).st_mtime_ns}\n".encode(errors="surrogateescape"))  # noqa: PTH116
    for place in sorted({PACKAGE, policies()}):
        for folder, below, names in os.walk(place):
            below[:] = sorted(name for name in below if name != "__pycache__")
            for name in sorted(names):
                found = os.stat(f"{folder}/{name}")  # noqa: PTH116
                # also when it was last changed by any means: a copy may bring its time along
                times = f"{found.st_mtime_ns}\0{found.st_ctime_ns}"
                digest.update(f"{folder}/{name}\0{times}\0{found.st_size}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()
