"""Scalars of the input, by the field's names for them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from generator.environment import constraint as c

Quantity = str | int | Decimal

Name = Annotated[
    str,
    c.Text(
        "an RFC 1123 label: at most 63 lower-case letters, digits and '-', no '-' at its ends",
        c.LABEL,
        63,
        repair=c.label,
    ),
]
ObjectName = Annotated[str, c.Text("an RFC 1123 subdomain", c.SUBDOMAIN, 253)]
Line = Annotated[str, c.Text("one line of text", r"\S.*", 256, repair=str.strip)]
Prose = Annotated[str, c.Text("text", r"\S[\s\S]*", 2048)]
Subject = Annotated[str, c.Text("the name of a group or user", r"\S(.*\S)?", 253)]
LabelKey = Annotated[str, c.Text("a label key such as example.com/pool", c.QUALIFIED, 317)]
LabelValue = Annotated[
    str,
    c.Text(
        "a label value: at most 63 letters, digits, '-', '_' and '.'",
        r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?",
        63,
    ),
]
Release = Annotated[str, c.Text('a release in quotes, such as "3.4"', r"[0-9]+\.[0-9]+", 16, repair=c.major_minor)]
Date = Annotated[str, c.Text("a date such as 2026-12-31", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", 32, also=c.real_date)]
Url = Annotated[
    str,
    c.Text(
        "a Git address that begins with https://, ssh:// or git@",
        r"(https://|ssh://|git@)[^\s'\"\\]+",
        1024,
        "https://git.example.com/platform/ai-gitops.git",
    ),
]
Server = Annotated[
    str,
    c.Text(
        "an address that begins with https://",
        r"https://[^\s'\"\\/]+(/[^\s'\"\\]*)?",
        1024,
        "https://api.prod.example.com:6443",
    ),
]
Revision = Annotated[str, c.Text("a Git branch, tag or commit", r"[A-Za-z0-9][A-Za-z0-9._/@+-]*", 250)]
Folder = Annotated[
    str,
    c.Text(
        "a folder of the Git repository, without .. in it",
        r"(?!.*\.\.)[A-Za-z0-9._][A-Za-z0-9._/-]*",
        250,
        "clusters/ai",
        repair=c.slashes,
    ),
]
ImageByDigest = Annotated[
    str,
    c.Text(
        "a container image with its registry, by digest",
        r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+"
        r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?@sha256:[0-9a-f]{64}",
        512,
        "registry.example.com/platform/apportion@sha256: and 64 hexadecimal digits",
    ),
]
Image = Annotated[
    str,
    c.Text(
        "a container image with its registry, and a tag or digest",
        r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+"
        r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})",
        512,
        "registry.example.com/ai/torch:2.9",
    ),
]
Slice = Annotated[str, c.Text("a MIG profile such as 1g.10gb", r"[1-9]g\.[0-9]+gb(\+me(\.all)?)?", 16)]
Csv = Annotated[
    str,
    c.Text(
        "the name of a ClusterServiceVersion", r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", 253, example="kueue-operator.v1.3.0"
    ),
]
Channel = Annotated[str, c.Text("a channel of the operator", r"[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?", 128)]

Nodes = Annotated[int, c.Count()]
Replicas = Annotated[int, c.Count(1, 1024)]
Priority = Annotated[int, c.Count(-(2**31), 2**31 - 1)]
Weight = Annotated[Quantity, c.Amount()]
Ratio = Annotated[int | Decimal, c.Number(Decimal(1), Decimal(100))]
Cards = Annotated[Quantity, c.Amount(whole=True)]
Hardware = Annotated[Quantity, c.Amount(positive=True)]
Bytes = Annotated[Quantity, c.Amount(positive=True, bytes=True)]
Held = Annotated[Quantity, c.Amount()]
HeldBytes = Annotated[Quantity, c.Amount(bytes=True)]
Guarantee = Annotated[Quantity, c.Amount(percent=True, whole=True)]
Divisible = Annotated[Quantity, c.Amount(percent=True, words=("auto",))]
DivisibleBytes = Annotated[Quantity, c.Amount(percent=True, words=("auto",), bytes=True)]
Borrow = Annotated[Quantity, c.Amount(percent=True, words=("unlimited",), whole=True)]
Lend = Annotated[Quantity, c.Amount(percent=True, words=("all",), whole=True)]

Parameter = Any  # judged by the policy that declares it
Vendor = Literal["nvidia", "amd", "intel", "none"]
Preset = Literal["interactive", "serving", "training", "batch"]
Action = Literal["Deny", "Warn", "Audit"]
