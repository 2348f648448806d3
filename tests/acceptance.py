"""Run the acceptance cases beside the repository, and compare with those whose answer is still to come.

`python -m tests.acceptance` fails where a case fails that is not in acceptance-pending.txt, where one passes that is,
and where any of them crashes; `--write` brings the list up to date. It takes minutes: `.ci/run` calls it, pytest not.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNNER = ROOT.parent / "shared" / "acceptance" / "run"
PENDING = Path(__file__).with_name("acceptance-pending.txt")
HEADER = """\
# Acceptance cases whose answer is still to come: B18 writes overrides in a form of old.
# Each fails today. One that begins to pass has to leave the list: python -m tests.acceptance --write
"""

_LINE = re.compile(r"(PASS|FAIL) (\S+) \(([0-9.]+ s)\)(?:: (.*))?")
_CRASHED = re.compile(r"\bexit 3\b|internal-error|took longer than|cannot start")

Results = Mapping[str, str | None]
"""Case to what went wrong; None: it passed."""


def parse(output: str) -> dict[str, str | None]:
    """Read the runner's lines."""
    found = (_LINE.fullmatch(line) for line in output.splitlines())
    return {line[2]: None if line[1] == "PASS" else line[4] or "failed" for line in found if line}


def defects(results: Results, pending: Set[str]) -> Iterator[str]:
    """Yield what differs from the expectation, a line each."""
    for case, reason in sorted(results.items()):
        if reason is not None and _CRASHED.search(reason):
            yield f"{case} crashed: {reason}"
        elif reason is not None and case not in pending:
            yield f"{case} failed: {reason}"
        elif reason is None and case in pending:
            yield f"{case} passes now: take it out of {PENDING.name}"
    for case in sorted(pending - results.keys()):
        yield f"{case} is in {PENDING.name} and is no case"


def read_pending(text: str) -> set[str]:
    """Return the names in the list, without its comments."""
    return {line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")}


def main() -> int:
    """Run all cases; return 1 where something differs from the list, 0 with a notice where there are no cases."""
    parser = argparse.ArgumentParser(description="acceptance cases, against tests/acceptance-pending.txt")
    parser.add_argument("--write", action="store_true", help="write the list anew from this run")
    options = parser.parse_args()
    if not RUNNER.is_file():
        print(f"SKIPPED: no acceptance cases beside the repository ({RUNNER.relative_to(ROOT.parent)})")
        return 0
    results = _run()
    if not results:
        return 1
    if options.write:
        failing = sorted(case for case, reason in results.items() if reason is not None)
        PENDING.write_text(HEADER + "".join(f"{case}\n" for case in failing), encoding="utf-8")
    pending = read_pending(PENDING.read_text(encoding="utf-8"))
    found = list(defects(results, pending))
    for line in found:
        print(line)
    passed = sum(reason is None for reason in results.values())
    print(f"acceptance: {passed} of {len(results)} cases pass, {len(pending)} are to come, {len(found)} unexpected")
    return 1 if found else 0


def _run() -> Results:
    tools = Path(sys.executable).parent
    command = [sys.executable, str(RUNNER), "--apportion", f"{tools}/apportion", "--kubectl", f"{tools}/kubectl"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    results = parse(done.stdout)
    if not results or done.returncode not in (0, 1):
        print(f"the runner ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr}")
        return {}
    return results


if __name__ == "__main__":
    sys.exit(main())
