"""JUnit XML: for the test tab of forges. A file is a suite, a finding a case; errors and warnings fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from generator.finding import Finding, Severity
from generator.report.text import plain


def render(findings: Sequence[Finding], more: Mapping[str, int], *, colour: bool = False) -> str:  # noqa: ARG001 - every format's signature
    """Return the report; without findings one passing case: an empty report reads as a run that did not happen."""
    suites: dict[str, list[Finding]] = {}
    for finding in findings:
        suites.setdefault(finding.location.file if finding.location else "apportion", []).append(finding)
    failed = sum(map(_fails, findings))
    body = "".join(_suite(name, found) for name, found in suites.items()) or _passing()
    total = len(findings) or 1
    head = f'<testsuites name="apportion" tests="{total}" failures="{failed}">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _fails(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO


def _suite(name: str, findings: Sequence[Finding]) -> str:
    failed = sum(map(_fails, findings))
    cases = "".join(map(_case, findings))
    return f'<testsuite name={_attribute(name)} tests="{len(findings)}" failures="{failed}">\n{cases}</testsuite>\n'


def _case(finding: Finding) -> str:
    place = str(finding.location) if finding.location else "apportion"
    head = f"<testcase classname={_attribute(finding.rule)} name={_attribute(f'{place} {finding.message}')}>"
    text = _text(f"{place}\n{finding.message}" + (f"\nfix: {finding.fix}" if finding.fix else ""))
    if not _fails(finding):
        return f"{head}<system-out>{text}</system-out></testcase>\n"
    kind = _attribute(finding.severity.value)
    return f"{head}<failure type={kind} message={_attribute(finding.message)}>{text}</failure></testcase>\n"


def _passing() -> str:
    return (
        '<testsuite name="apportion" tests="1" failures="0">\n'
        '<testcase classname="apportion" name="no findings"/>\n</testsuite>\n'
    )


def _attribute(text: str) -> str:
    return quoteattr(plain(text))


def _text(text: str) -> str:
    return "\n".join(escape(plain(line)) for line in text.splitlines())
