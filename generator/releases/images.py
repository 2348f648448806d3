"""Whose accelerators an image is made for, and whose a resource is: what names tell, in images.yaml."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from generator import facts

NONE = "none"
"""The vendor of an image that is made for no accelerator."""


@cache
def vendor_of_image(image: str) -> str:
    """Return "nvidia", "amd", "intel", "ibm" or "none" for an image; "" where its name does not tell."""
    name, _, digest = image.partition("@")
    for known in _known()["digests"]:
        if digest.startswith(known["digest"]) and name.partition(":")[0] == known["image"]:
            return str(known["vendor"])
    own = _found("vendors", name.rpartition("/")[2])
    found = own or _found("places", name)
    return found[0] if len(found) == 1 else ""


def _found(key: str, name: str) -> list[str]:
    return [vendor for vendor, pattern in _patterns(key) if pattern.search(name)]


def vendor_of_resource(resource: str) -> str:
    """Return the vendor of "nvidia.com/mig-1g.10gb" and the like; "" for what belongs to none."""
    return str(_known()["domains"].get(resource.partition("/")[0], ""))


@cache
def _patterns(key: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((each["vendor"], re.compile(each["pattern"], re.IGNORECASE)) for each in _known()[key])


@cache
def _known() -> Any:
    return facts.document(Path(__file__).with_name("images.yaml"))
