"""What was sampled or enumerated is played again: from its seed, or path by path.

The only place at which the checker touches an algorithm: it is the thing that the part is about.
The finders' code is not used; what a certificate records must come out again, to the last run.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.recheck.numbers import need
from dpaudit.recheck.proofs import check


def counts(part: Any) -> None:
    """The hits of both tables, run for run."""
    from dpaudit.play.tables import play_tables

    found = []
    for number, name in enumerate(("neighbour", "rewards")):
        plays = play_tables(
            part["target"],
            part[name],
            runs=part["runs"],
            seed=2 * part["seed"] + number,
            workers=2,
            **part["settings"],
        )
        fits = [
            plays.actions[:, t] == int(action)
            for t, action in enumerate(part["event"])
            if action != "."
        ]
        found.append(int(np.logical_and.reduce(fits).sum()))
    need(found == part["hits"], f"played again the hits are {found}")


def regret(part: Any) -> None:
    """Mean and variance of the runs' pseudo-regret."""
    from dpaudit.play.environments import play_environment

    plays = play_environment(
        part["target"],
        part["means"],
        part["horizon"],
        runs=part["runs"],
        seed=part["seed"],
        workers=2,
        **part["settings"],
    )
    runs = plays.regret[:, 0]
    for name, found in (("mean", float(runs.mean())), ("variance", float(runs.var(ddof=1)))):
        need(math.isclose(found, part[name], rel_tol=1e-9), f"played again the {name} is {found}")


def bookings(part: Any) -> None:
    """Every path, with every round changed in every direction: the booking recorded is the most."""
    from dpaudit.play.catalogue import find
    from dpaudit.play.tables import trace

    arms, rounds = part["arms"], part["rounds"]
    directions = [np.ones(arms)]
    if find(part["target"]).card.feedback != "bandit":
        rows = itertools.product((0.0, 1.0), repeat=arms - 1)
        directions = [np.array([1.0, *row]) for row in rows]
    for row in part["paths"]:
        forced = [-1] * part["opening"] + [int(c) for c in row["path"]]
        most = 0.0
        for changed, there in itertools.product(range(rounds), directions):
            one = np.full((rounds, arms), 0.5)
            other = one.copy()
            one[changed], other[changed] = there, 1.0 - there
            played = trace(part["target"], one, other, forced, **part["settings"])
            booked = played.gdp if part["notion"] == "gdp" else played.pure
            most = max(most, float(booked.sum()))
        need(
            math.isclose(most, math.fsum(row["booked"]), rel_tol=1e-9, abs_tol=1e-9),
            f"path {row['path']} books {most}",
        )


def proved(part: Any) -> None:
    """The committed evidence is of this source and this graph, and a second solver, where one is at
    hand, answers its questions with no."""
    file = REPORT.parent / "proofs" / f"{part['target']}.json"
    if not file.is_file():
        return
    found = json.loads(file.read_text())["result"]
    need(found["source"] == part["source"], "the evidence is of another source")
    graphs = [[{**arrow, "where": []} for arrow in each["graph"]] for each in (found, part)]
    need(graphs[0] == graphs[1], "the evidence is another graph")  # on whichever lines it stands
    if importlib.util.find_spec("cvc5"):
        check(file)


REPORT = Path(__file__).parents[2] / "reports" / "reproduction.json"


def laboratory(part: Any) -> None:
    """The committed report of the experiments says so, where it is at hand."""
    if REPORT.is_file():
        said = {
            (entry["experiment"], sentence["text"], sentence.get("reading", "")): sentence[
                "verdict"
            ]
            for entry in json.loads(REPORT.read_text())["results"]
            for sentence in entry["sentences"]
        }
        found = said.get((part["experiment"], part["text"], part["reading"]))
        need(found == part["verdict"], f"the report of the experiments says {found}")


REPLAYS = {kind.__name__: kind for kind in (counts, regret, bookings, proved, laboratory)}


def replay(part: Any) -> None:
    """Play a part again, if it is of a kind that was played."""
    if part["kind"] in REPLAYS:
        REPLAYS[part["kind"]](part)
