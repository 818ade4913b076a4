"""Do all committed results, and some two hundred small requests, still come out to the last bit?

    python -m tests.same                   everything: the committed results take some ten minutes
    python -m tests.same --quick           the requests, what is committed now, and a few made again
    python -m tests.same audit scaling     these kinds of results, or requests with such a name
    python -m tests.same --freeze          write what is compared with: on older code, or where
                                           results change on purpose, with the reason in the commit

Exit code 1 if anything differs. Aside are how long something took, digests of code, seals, and the
labels of the layout: schema and version.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from dpaudit.results import made
from tests.same import again
from tests.same.documents import (
    BEFORE,
    KINDS,
    Key,
    canonical,
    difference,
    digest,
    of_commit,
    of_file,
    still,
    told,
)
from tests.same.requests import Ask, ask, learner_requests, requests

HERE = Path(__file__).parent
Before = dict[Key, str]


def probes() -> dict[str, Any]:
    """What the requests answered before."""
    found: dict[str, Any] = json.loads((HERE / "probes.json").read_text())
    return found


def before() -> Before:
    """Digests of the results that were committed before."""
    kinds: dict[str, dict[str, str]] = json.loads((HERE / "before.json").read_text())
    return {(kind, name): found for kind, own in kinds.items() for name, found in own.items()}


def pieces(asked: dict[str, Ask], size: int = 6) -> list[list[str]]:
    """The names in pieces for one test each: those about one algorithm follow one another."""
    names = list(asked)
    return [names[i : i + size] for i in range(0, len(names), size)]


def probed(asked: dict[str, Ask], names: Iterable[str] | None = None) -> Iterator[str]:
    """Ask, and say where answers differ from those of before."""
    was = probes()
    for name in asked if names is None else names:
        found = "not asked before"
        if name in was:
            found = difference(*(told(still(each)) for each in (was[name], ask(asked[name]))))
        if found:
            yield f"request {name!r} {found}"


def compare(now: dict[Key, Any], was: Before, old: dict[Key, Any] | None = None) -> Iterator[str]:
    """The results that differ from what they were, and where, if the old ones are at hand. What
    was not there then cannot differ."""
    for key, entry in now.items():
        if key in was and digest(entry) != was[key]:
            where = difference(old[key], entry) if old and key in old else None
            yield f"{'/'.join(key)} {where or 'differs; git does not have the old one'}"


def missing(now: dict[Key, Any], was: Before, kinds: tuple[str, ...]) -> Iterator[str]:
    """The results of some kinds that are gone."""
    for kind, name in was:
        if kind in kinds and (kind, name) not in now:
            yield f"{kind}/{name}: is gone"


def committed() -> dict[Key, Any]:
    """The results that are committed now; what was made beside them is not."""
    files = made.committed()
    return {k: v for path in files for k, v in of_file(path.name, path.read_text())}


def freeze() -> None:
    """Write what is compared with."""
    asked = learner_requests() | requests()
    answers = ",\n".join(canonical({name: ask(r)})[1:-1] for name, r in asked.items())
    (HERE / "probes.json").write_text(f"{{\n{answers}\n}}\n")
    old = of_commit()
    if old is None:
        raise SystemExit(f"git does not have {BEFORE}")
    kinds = {k: {n: digest(v) for (kind, n), v in old.items() if kind == k} for k in KINDS}
    kept = json.loads((HERE / "before.json").read_text())
    kinds = {k: found or kept[k] for k, found in kinds.items()}  # some are committed no more
    (HERE / "before.json").write_text(json.dumps(kinds, indent=0) + "\n")


def main(arguments: list[str]) -> int:
    """Compare and say what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.same", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", metavar="NAME", nargs="*", help="kinds, or parts of names")
    parser.add_argument("--quick", action="store_true", help="the requests and a few results")
    parser.add_argument("--freeze", action="store_true", help="write what is compared with")
    given = parser.parse_args(arguments)
    if given.freeze:
        freeze()
        return 0
    differences = 0

    def step(what: str, work: Callable[[], Iterator[str]]) -> None:
        nonlocal differences
        began = time.perf_counter()
        found = list(work())
        differences += len(found)
        print(f"{what}: {len(found)} differences, {time.perf_counter() - began:.0f} s", flush=True)
        for line in found:
            print(f"  {line}", flush=True)

    was, old = before(), of_commit()
    kinds = [name for name in given.names if name in KINDS]
    words = [name for name in given.names if name not in KINDS]
    asked = learner_requests() | requests()
    names = [name for name in asked if not words or any(word in name for word in words)]
    if not given.names:
        gone = probes().keys() - asked.keys()
        step("requests that were asked before", lambda: (f"{n!r} is not asked" for n in gone))
    if not kinds:
        step(f"{len(names)} requests", lambda: probed(asked, names))
    if not given.names:
        now = committed()
        there = tuple({kind for kind, _ in now})
        step(
            f"{len(now)} results as they are committed now",
            lambda: iter([*compare(now, was, old), *missing(now, was, there)]),
        )
    if given.quick:
        for command in again.FEW if not given.names else ():
            step(f"dpaudit {command}", lambda c=command: compare(again.make(c), was, old))
    elif not words:
        for own in again.wanted_kinds(kinds):
            step(f"all of {', '.join(own)}, made again", lambda o=own: _again(o, was, old))
    print(f"{differences} differences" if differences else "the same")
    return int(differences > 0)


def _again(kinds: tuple[str, ...], was: Before, old: dict[Key, Any] | None) -> Iterator[str]:
    made = again.make(again.COMMANDS[kinds])
    now = {key: entry for key, entry in made.items() if key[0] in kinds}
    yield from compare(now, was, old)
    yield from missing(now, was, kinds)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
