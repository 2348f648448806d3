"""A repository that raises every shipped policy about a state: what is said, and at which line.

Those about a step are raised in tests/commands/test_plan.py.

UPDATE_BROKEN=1 rewrites tests/broken/findings.txt; read it before it is committed.
"""

import io
import os
from pathlib import Path

from generator.commands import pipeline
from generator.commands.progress import Progress
from generator.finding import Finding
from generator.policy import shipped

ROOT = Path(__file__).parents[1] / "broken"
EXPECTED = ROOT / "findings.txt"
UPDATE = bool(os.environ.get("UPDATE_BROKEN"))


def found() -> list[Finding]:
    with Progress(io.StringIO(), quiet=True) as progress:
        result = pipeline.run(ROOT, (), "2027-02-01", progress)
    known, _ = shipped.policies(None)
    return [finding for finding in result.findings if finding.rule in known]


def test_each_policy_is_raised_at_its_line() -> None:
    findings = found()
    text = "".join(f"{f.location} {f.severity} {f.rule}: {f.message}\n" for f in findings)
    if UPDATE:
        EXPECTED.write_text(text, encoding="utf-8")
    assert text == EXPECTED.read_text(encoding="utf-8")
    known, _ = shipped.policies(None)
    of_a_state = {policy.id for policy in known.values() if not policy.is_about_changes}
    assert {finding.rule for finding in findings} == of_a_state
    assert all(finding.location and finding.location.line and finding.object and finding.fix for finding in findings)
