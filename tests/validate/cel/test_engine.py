"""CEL as Kubernetes extends it, expression by expression."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.cel.engine import ABSENT, CelError, compile_expression
from generator.validate.cel.rewrite import fields_read, names, rewrite

TRUE: list[tuple[str, Any]] = [
    ("quantity('1Gi') == quantity('1024Mi')", None),
    ("quantity('1.5').compareTo(quantity('1500m')) == 0", None),
    ("quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('-1').isLessThan(quantity('0'))", None),
    ("quantity('1').add(2).sub(quantity('500m')) == quantity('2500m')", None),
    ("quantity('50k').asInteger() == 50000 && quantity('1').isInteger() && !quantity('1m').isInteger()", None),
    ("quantity('250m').asApproximateFloat() == 0.25 && quantity('-3').sign() == -1", None),
    ("isQuantity('8') && isQuantity('.5Gi') && !isQuantity('8GB') && !isQuantity('')", None),
    ("quantity(self.size) < quantity('x') || true", {"size": "1"}),
    ("!format.dns1123Label().validate(self).hasValue()", "a-b"),
    ("format.dns1123Label().validate(self).hasValue()", "a.b"),
    ("!format.dns1123Subdomain().validate(self.a).hasValue() && has(self.a)", {"a": "a.b"}),
    ("format.dns1035Label().validate('1a').value().size() == 1", None),
    ("!format.qualifiedName().validate('example.com/Name').hasValue()", None),
    ("format.qualifiedName().validate('a/b/c').hasValue() && format.labelValue().validate('-').hasValue()", None),
    ("format.dns1123Label().validate('ok').orValue(['none']) == ['none']", None),
    ("!format.dns1123LabelPrefix().validate('a-').hasValue()", None),
    ("isIP('::1') && !isIP('::ffff:1.2.3.4') && !isIP('1.2.3') && ip('10.0.0.1').family() == 4", None),
    ("ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast()", None),
    ("ip.isCanonical('::1') && !ip.isCanonical('0:0::1') && ip('::1') == ip('0:0::1')", None),
    ("ip('224.0.0.1').isLinkLocalMulticast() && ip('169.254.0.1').isLinkLocalUnicast()", None),
    ("cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", None),
    ("cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.1/8').ip() == ip('10.0.0.1')", None),
    ("cidr('10.0.0.0/8').prefixLength() == 8 && isCIDR('::/0') && !isCIDR('10.0.0.0')", None),
    ("url('https://u@h.example:8443/a%20b?x=1&x=2').getPort() == '8443'", None),
    ("url('https://h:80/').getHost() == 'h:80' && url('https://[::1]:80/').getHostname() == '::1'", None),
    ("url('https://h/a%20b?x=1&x=2').getQuery()['x'] == ['1', '2']", None),
    ("url('https://h/a%20b').getEscapedPath() == '/a%20b' && url('http://h').getScheme() == 'http'", None),
    ("isURL('/absolute') && !isURL('relative') && !isURL('http://h:port/')", None),
    ("semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1')) && semver('1.10.0').compareTo(semver('1.9.0')) == 1", None),
    ("semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3", None),
    ("isSemver('1.0.0') && !isSemver('v1.0.0') && !isSemver('1.0')", None),
    ("'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22']", None),
    ("'a1b22'.findAll('[0-9]+', 1) == ['1'] && 'x'.find('y') == ''", None),
    ("[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [].isSorted()", None),
    ("self.sum() == 6 && self.min() == 1 && self.max() == 3", [1, 2, 3]),
    ("self.indexOf(2) == 1 && self.lastIndexOf(2) == 2 && self.indexOf(9) == -1", [1, 2, 2]),
    ("self.indexOf('b') == 1 && 'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3", ["a", "b"]),
    ("'abcb'.indexOf('b', 2) == 3", None),
    ("sets.contains(self, [2]) && sets.intersects(self, [2, 9]) && sets.equivalent(self, [2, 1, 1])", [1, 2]),
    ("self.existsOne(x, x == 1) && self.exists_one(x, x == 1)", [1, 2]),
    ("'A'.lowerAscii() == 'a' && 'a,b'.split(',') == ['a', 'b'] && ' a '.trim() == 'a'", None),
    ("self[?5].orValue('none') == 'none' && !self[?5].hasValue()", ["a"]),
    ("size('\u00e9\U0001f600') == 2 && self.matches('^[[:alpha:]]+$')", "abc"),
    ("'existsOne(' == \"existsOne(\" && r'\\d'.size() == 2 // existsOne(", None),
    ("cel.bind(x, self.a, x + x) == 4 && math.greatest(1, 2) == 2", {"a": 2}),
    ("self.a == 1.0", {"a": 1}),
    ("self.all(k, v, v == k + 'x') && !self.all(k, v, k == 'a')", {"a": "ax", "b": "bx"}),
    ("self.all(i, v, i < 2) && self.exists(i, v, v == 'b' && i == 1) && !self.exists(i, v, i > 1)", ["a", "b"]),
    ("self.existsOne(i, v, v == 'a') && !self.existsOne(i, v, i >= 0)", ["a", "b"]),
    ("self.all(i, v, v.all(k, w, k + string(i) == w))", [{"a": "a0"}, {"b": "b1"}]),
    ("self.transformList(i, v, v + string(i)) == ['a0', 'b1']", ["a", "b"]),
    ("self.transformList(i, v, i > 0, v) == ['b']", ["a", "b"]),
    ("self.transformMap(k, v, v + 1) == {'a': 2, 'b': 3}", {"a": 1, "b": 2}),
    ("self.transformMap(k, v, k != 'a', v + 1) == {'b': 3}", {"a": 1, "b": 2}),
    ("self.transformMapEntry(i, v, {v: i}) == {'a': 0, 'b': 1}", ["a", "b"]),
    ("self.transformMapEntry(i, v, i == 0, {v: i}) == {'a': 0}", ["a", "b"]),
    ("self.all(x, x.size() == 1) && self.map(x, x == 'a', x) == ['a']", ["a", "b"]),
    ("format.named('dns1123Label').value().validate(self).orValue([]).size() == 0", "a"),
    ("format.named('dns1123Label').value().validate(self).hasValue()", "A"),
    ("format.named('uuid').hasValue() && !format.named('none').hasValue()", None),
    ("self.first().orValue('') == 'a' && self.last().orValue('') == 'b' && ![].first().hasValue()", ["a", "b"]),
    ("self.find('[[:digit:]]+') == '1' && self.find('1\\\\z') == '1' && self.find('(?i)A') == 'a'", "a1"),
    ("self.find('\\\\pL') == 'é' && self.findAll('[[:alpha:]]') == ['a']", "1é a"),
    ("string(ip('1.2.3.4')) == '1.2.3.4' && string(cidr('::/0')) == '::/0' && string(1) == '1'", None),
    ("!isCIDR('1.2.3.0/024') && isCIDR('1.2.3.0/24') && !isCIDR('1.2.3.0/-1') && !isCIDR('1.2.3.0/')", None),
    ("url('http://x/a b').getEscapedPath() == '/a%20b' && isURL('mailto:x') && !isURL('http://x/%zz')", None),
]


@pytest.mark.parametrize(("expression", "value"), TRUE)
def test_true(expression: str, value: Any) -> None:
    assert compile_expression(expression)(value, None) is True


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("self.missing == 1", {}),
        ("quantity('8GB').sign() == 1", None),
        ("quantity('0.5').asInteger() == 0", None),
        ("'8'.isGreaterThan(quantity('1'))", None),
        ("ip('1.2.3') == ip('1.2.3')", None),
        ("self + 1 > 0", 2**63 - 1),
        ("self > 0", 2**64),
        ("self.a.b", {"a": 1}),
        ("[1, 'a'].isSorted()", None),
        ("self", {1, 2}),
    ],
)
def test_an_error_is_raised(expression: str, value: Any) -> None:
    with pytest.raises(CelError):
        compile_expression(expression)(value, None)


@pytest.mark.parametrize("expression", ["self.nosuch()", "nosuch(self)", "other == 1", "self ==", "1 == 'a'", ""])
def test_what_does_not_compile(expression: str) -> None:
    with pytest.raises(CelError):
        compile_expression(expression)


def test_values_other_than_booleans() -> None:
    assert compile_expression("'%s is %d'.format([self.a, self.b])")({"a": "x", "b": 3}, None) == "x is 3"


@pytest.mark.parametrize(("old", "expected"), [(ABSENT, "none"), (None, "null"), (3, "3")])
def test_an_optional_old_value(old: Any, expected: str) -> None:
    said = "oldSelf.hasValue() ? (oldSelf.value() == null ? 'null' : string(oldSelf.value())) : 'none'"
    assert compile_expression(said, optional_old=True)(1, old) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("self.existsOne(x, x == 'existsOne')", "self.exists_one(x, x == 'existsOne')"),
        ("self.existsOne == 1.5 /* */", "self.exists_one == 1.5 /* */"),
        ("existsOne + '''a.indexOf(b)'''", "existsOne + '''a.indexOf(b)'''"),
        ("a . indexOf ( b )", "a . k8sIndexOf ( b )"),
        ("!format.uri().validate(f(x)).hasValue()", "!format.uri().validate(f(x)).k8sHasValue()"),
        ("optional.of(1).hasValue()", "optional.of(1).hasValue()"),
        ("a // it's\n.indexOf(b)", "a // it's\n.k8sIndexOf(b)"),
        (r"r'\' + a.indexOf('\'')", r"r'\' + a.k8sIndexOf('\'')"),
    ],
)
def test_rewriting_leaves_all_else_alone(expression: str, expected: str) -> None:
    assert rewrite(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("has(self.a) && self.b.c > 1", {"a", "b"}),
        ("'self.x' == self . a", {"a"}),
        ("other.self == 1", set()),
        ("self == oldSelf", None),
        ("self.all(x, x > 0)", None),
        ("self['a'] == 1", None),
        ("size(self) > 0", None),
        ("self.?a.hasValue()", None),
    ],
)
def test_fields_read(expression: str, expected: set[str] | None) -> None:
    assert fields_read(expression) == expected


def test_names_are_no_strings() -> None:
    assert names("self == 'oldSelf' // oldSelf") == {"self"}
