"""A step between two small repositories: a test names what is in both, and what the step changes."""

from __future__ import annotations

from typing import Any

from generator.change.compare import unsafe
from generator.change.model import Side, Step
from generator.environment.load import load
from generator.finding import Finding, Severity
from generator.kustomize import build
from generator.plan.ledger import Ledger
from generator.plan.resolve import resolve
from tests.builders import PROD, TEAM, files

Files = dict[str, bytes]
Parts = dict[str, Any]
NLP = "{apiVersion: apportion.dev/v1, kind: Team, name: nlp, members: {groups: [nlp]}}"
BOTH = (TEAM, NLP)


def quotas(*teams: str, cohorts: str = "[{name: org}]") -> str:
    """Return quotas of teams, each as "vision: {…}": its entry without its name."""
    entries = (f"- {{team: {name}, {entry[1:]}\n" for name, _, entry in (team.partition(": ") for team in teams))
    return f"cohorts: {cohorts}\nteams:\n{''.join(entries)}"


def team(*queues: str, name: str = "vision", cohort: str = "", spaces: str = "[{name: work}]") -> str:
    """Return a team; a queue is "training: h100: {accelerators: 8}; stopPolicy: Hold", its quota and further keys."""
    listed = []
    for queue in queues:
        own, _, rest = queue.partition(": ")
        quota, *more = rest.split("; ")
        keys = [f"name: {own}", f"quota: {{{quota}}}", *more]
        keys += [] if any(key.startswith("namespaces:") for key in more) else ["namespaces: [work]"]
        listed.append(f"{{{', '.join(keys)}}}")
    above = f", cohort: {cohort}" if cohort else ""
    return f"{name}: {{namespaces: {spaces}{above}, queues: [{', '.join(listed)}]}}"


def extra(**texts: str) -> Files:
    """Return manifests of the environment's own, by file name without its ending."""
    return {f"{PROD}extra/{name}.yaml": text.encode() for name, text in texts.items()}


def repository(**given: Any) -> Files:
    """Return `files(**given)`; `extra` holds further files."""
    more: Files = given.pop("extra", {})
    return {**files(**given), **more}


def side(given: Files) -> Side:
    """Return the one environment of a repository without errors."""
    inputs, found = load(given)
    (name,) = inputs.environments
    plan, more = resolve(inputs.environments[name], None)
    assert plan is not None
    overlay, last = build(plan)
    assert [f"{f.rule} {f.message}" for f in (*found, *more, *last) if f.severity is Severity.ERROR] == []
    leaves = list(overlay.leaves)
    return Side(plan, leaves, Ledger(plan, (m for leaf in leaves if leaf.layer == "extra" for m in leaf.manifests)))


def step(old: Parts, new: Parts) -> Step:
    """Return the step between two repositories; what is not named is that of `files`."""
    files_after = repository(**new)
    return Step(side(repository(**old)), side(files_after), "HEAD", files_after)


def found(old: Parts, new: Parts) -> list[Finding]:
    return list(unsafe(step(old, new)))


def told(findings: list[Finding]) -> list[str]:
    """Return "error queue-removed-undrained vision-training" of each."""
    return sorted(f"{f.severity} {f.rule} {f.object.name if f.object else ''}" for f in findings)


def rules(old: Parts, new: Parts) -> list[str]:
    return told(found(old, new))
