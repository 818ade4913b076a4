"""`make quality`: the whole suite; writes reports/quality.md. Exit code 1 if anything fails."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

from tests.quality import suite

RUNS = 400_000
"""Per broken learner, some ten seconds on two cores; the figure allows 60. Runs, not seconds: what
is caught must not hang on what else the machine does."""
FIELD_SECONDS = 15.0
"""Per learner of the field; the figure allows 60."""
AUDITS = 10_000
FIELD_AUDITS = 400
"""A few learners leave something behind, so that each run is a process: a quarter of a minute."""


def main() -> int:
    """Measure, print and write."""
    began = time.monotonic()
    findings = []
    for finding in itertools.chain(
        suite.known(1_000_000, full=True),
        suite.zoo(runs=RUNS),
        suite.sound(runs=RUNS),
        suite.field(FIELD_SECONDS),
    ):
        print(f"{finding.group}, {finding.name}: {finding.text}", flush=True)
        findings.append(finding)
    alarms = suite.alarms(AUDITS, 2000)
    limit = round(AUDITS * 0.01 + 3 * (AUDITS * 0.01 * 0.99) ** 0.5)
    findings.append(
        suite.Finding(
            "false alarms",
            f"{AUDITS} audits at confidence 0.99",
            alarms <= limit,
            f"{alarms} alarms, at most {limit} allowed",
        )
    )
    alarms, done = suite.field_alarms(FIELD_AUDITS, 600)
    limit = suite.most_alarms(done)
    findings.append(
        suite.Finding(
            "false alarms",
            f"{done} audits of sound learners of the field at confidence 0.99",
            alarms <= limit,
            f"{alarms} alarms, at most {limit} allowed",
        )
    )
    lines = [
        "# Does the auditor catch what it must?",
        "",
        f"Made by `make quality` on {os.cpu_count()} cores in {time.monotonic() - began:.0f} s. "
        "Broken and sound learners are audited black-box at epsilon = 1, K = 2, T = "
        f"{suite.ROUNDS}, confidence 0.999, {RUNS} runs each; those of the field at the arms "
        f"and rounds that they are met with, {FIELD_SECONDS:.0f} s each: there `inconclusive` is "
        "an answer, but no broken one may be `consistent`; mechanisms of known epsilon from a "
        "million outputs a world at confidence 0.95.",
        "",
        "| group | name | | what |",
        "|---|---|---|---|",
        *(
            f"| {f.group} | {f.name} | {'ok' if f.good else 'FAILED'} | {f.text} |"
            for f in findings
        ),
        "",
    ]
    text = "\n".join(lines)
    print(text)
    (Path(__file__).parents[2] / "reports" / "quality.md").write_text(text)
    return 0 if all(f.good for f in findings) else 1


if __name__ == "__main__":
    raise SystemExit(main())
