"""Audits as an in-toto attestation: a test-result statement, version 0.1, about the source files
that were audited (https://in-toto.io/attestation/test-result/v0.1). It is not signed here: whoever
runs the audits signs the file with what they sign with."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.results.audit import AuditResult
from dpaudit.results.words import replay

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
LISTS = {"consistent": "passedTests", "inconclusive": "warnedTests", "violated": "failedTests"}


def attestation(audits: Sequence[AuditResult], subjects: Mapping[str, str]) -> str:
    """The statement; `subjects` are SHA-256 digests by file. A claim that was not put to the test,
    or not to the end, is a warning."""
    tests: dict[str, list[str]] = {name: [] for name in LISTS.values()}
    for a in audits:
        done = a.complete or a.verdict == "violated"
        tests[LISTS[a.verdict if done else "inconclusive"]].append(_name(a))
    result = "PASSED"
    if tests["failedTests"]:
        result = "FAILED"
    elif tests["warnedTests"] or not audits:
        result = "WARNED"
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": n, "digest": {"sha256": d}} for n, d in sorted(subjects.items())],
        "predicateType": PREDICATE,
        "predicate": {"result": result, "configuration": [_asked(a) for a in audits], **tests},
    }
    return json.dumps(statement, indent=2) + "\n"


def _name(a: AuditResult) -> str:
    told = "".join(f" {name}={value}" for name, value in a.parameters.items())
    return f"{a.name or a.target}{told}: {a.claim}"


def _asked(a: AuditResult) -> dict[str, Any]:
    """The command that asks again, as a resource descriptor, with what it found."""
    return {
        "name": _name(a),
        "content": base64.b64encode(replay(a).encode()).decode(),
        "mediaType": "text/x-shellscript",
        "annotations": {
            "dpaudit": a.version,
            "verdict": a.verdict,
            "lowerBound": a.lower_bound,
            "upperBound": a.upper_bound,
            "confidence": a.confidence,
            "engine": a.engine,
            "seed": a.seed,
        },
    }
