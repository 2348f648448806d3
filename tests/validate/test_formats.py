"""Formats of custom resources: what an API server takes, asked of its own code (kube-openapi of Kubernetes 1.33)."""

from __future__ import annotations

import pytest

from generator.schemas.schema import Schema
from generator.validate import formats
from generator.validate.objects import validate_object
from tests.validate.things import body, objections, thing

UUID = "123e4567-e89b-{}2d3-a456-426614174000"
# format -> texts that are taken, and texts that are refused
TEXTS: dict[str, tuple[list[str], list[str]]] = {
    "uri": (
        ["http://x", "/x", "mailto:x", "//h/p", "a:b", "*", "/a?b=%zz", "http://u:p@[::1]:80/a%20b"],
        ["", ":", "x", "a b", "%zz", "http://[::1", "http://x:y", "http://a b/", "http://x/%zz", "/a\tb"],
    ),
    "email": (["a@b", "A <a@b.c>", '"x y"@b', "a.b+c@d.e"], ["", "a", "a@", "@b", "a@b@c", "a..b@c", ".a@b"]),
    "hostname": (["a", "A", "1", "é", "a.bc", "a-b.org"], ["", "a.b", "-a", "a_b", "a.", "a" * 64, "x." + "a" * 250]),
    "ipv4": (["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"], ["", "::1", "1.2.3", "1.2.3.256"]),
    "ipv6": (["::1", "::", "::ffff:1.2.3.4"], ["1.2.3.4", "fe80::1%eth0", "1::2::3", "::ffff:01.2.3.4"]),
    "cidr": (
        ["1.2.3.0/24", "1.2.3.4/24", "01.2.3.0/24", "1.2.3.0/024", "::/0", "::/128"],
        ["1.2.3.4", "1.2.3.4/33", "1.2.3.0/255.255.255.0", "fe80::1%a/64", "1.2.3.0/", "::/129", "/24"],
    ),
    "mac": (
        ["00:11:22:33:44:55", "00-11-22-33-44-5f", "0011.2233.4455", "0011.2233.4455.6677", ":".join(["a0"] * 20)],
        ["00:11:22:33:44:5", "00:11-22:33:44:55", ":".join(["00"] * 7), ":".join(["00"] * 21), "0011.2233"],
    ),
    "uuid": ([UUID.format(1), UUID.format(1).replace("-", "").upper()], ["x", f"{{{UUID.format(1)}}}"]),
    "uuid3": ([UUID.format(3)], [UUID.format(1)]),
    "uuid4": ([UUID.format(4)], [UUID.format(3), UUID.format(4).replace("a456", "c456")]),
    "uuid5": ([UUID.format(5)], [UUID.format(4)]),
    "byte": (["aGk=", "aGkh"], ["", "aGk", "aGk\n=", "_-8=", "aGk= "]),
    "duration": (
        ["1s", "1h30m", "0", "-1s", ".5s", "2 days", "1h 30m", "1D", "2 Hours", "1hours", "9999999999h", "1 s x"],
        ["", "5", "1y", "1e3", "s", "99999999999999999999 d"],
    ),
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "x"]),
    "isbn": (["0321751043", "978-0321751041"], ["0321751044", "x"]),
    "isbn10": (["0321751043", "0-8044-2957-X"], ["978-0321751041", "0321751044"]),
    "isbn13": (["978-0321751041"], ["0321751043", "978-0321751042"]),
    "creditcard": (["4111-1111-1111-1111"], ["4111-1111-1111-1112", "x"]),
    "ssn": (["111-11-1111", "111 11 1111"], ["111111111", "111-11-111", "x"]),
    "hexcolor": (["#fff", "fff", "#A0b1C2"], ["#ffff", "#ggg", "x"]),
    "rgbcolor": (["rgb(1,2,3)", "rgb( 255 , 0 , 10 )"], ["rgb(256,1,1)", "rgb(01,2,3)", "x"]),
    "date": (["2020-02-29"], ["2020-02-30", "2020-1-1", ""]),
    "date-time": (["2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5+02:00"], ["2020-01-01", "2020-01-01 00:00:00Z"]),
    "b-y-t-e": (["aGk="], [""]),  # dashes in a name do not count
}


@pytest.mark.parametrize("form", TEXTS)
def test_texts(form: str) -> None:
    name = formats.enforced({"type": "string", "format": form})
    assert name is not None
    taken, refused = TEXTS[form]
    assert [text for text in taken if not formats.CHECKS[name](text)] == []
    assert [text for text in refused if formats.CHECKS[name](text)] == []


@pytest.mark.parametrize("form", ["time", "regex", "int32", "k8s-short-name", "password", "no-such-format"])
def test_other_formats_are_ignored(form: str) -> None:
    assert formats.enforced({"type": "string", "format": form}) is None


def test_a_format_in_a_schema() -> None:
    schema = thing({"type": "object", "properties": {"a": {"type": "string", "format": "uri"}}})
    assert objections(schema, {"a": "/x"}) == []
    assert objections(schema, {"a": "x"}) == [("value-malformed", "spec.a", "Invalid value")]


def test_bytes_of_a_built_in_kind_are_what_go_decodes() -> None:
    structure = {"type": "object", "properties": {"spec": {"type": "string", "format": "byte"}}}
    for builtin, found in ((True, 0), (False, 1)):
        schema = Schema("example.com", "Thing", "v1", True, True, structure, builtin=builtin)
        assert len(validate_object(body(""), schema)) == found


def test_int32_of_a_custom_resource_is_stored_and_not_read() -> None:
    structure = {"type": "object", "properties": {"spec": {"type": "integer", "format": "int32"}}}
    schema = Schema("example.com", "Thing", "v1", True, True, structure)
    assert validate_object(body(2**31 - 1), schema) == []
    said = "2147483648 is more than 2147483647"
    [found] = validate_object(body(2**31), schema)
    assert found.message == f"{said}, where int32 ends: the server stores it, and the controller cannot read it"
    [found] = validate_object(body(2**31), Schema("example.com", "Thing", "v1", True, True, structure, builtin=True))
    assert found.message == said
