"""Algorithms as they are asked about, from edited copies of their files too, steps that those made
here share, and what derived laws say of a table."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

from dpaudit.auditor.engines.exact.outcomes import Chances
from dpaudit.play.catalogue import find, home
from dpaudit.play.tables import configured


def who(entry, arms=2, rounds=8, epsilon=1.0, **given):
    return configured(entry, arms=arms, rounds=rounds, epsilon=epsilon, parameters=given)


def edited(name, folder, *changes):
    """The entry from a copy of its file in which texts are replaced, each where it stands last."""
    text = home(find(name)).read_text()
    for old, new in changes:
        assert old in text, old
        text = new.join(text.rsplit(old, 1))
    path = Path(folder) / f"edited_{len(sys.modules)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    (entry,) = (entry for entry in module.ENTRIES if entry.card.name == name)
    return entry


def sequences(law, table):
    """Probability of each sequence of actions under a table, the phases multiplied."""
    found = Counter()
    open_ = [(1, law.start, (), 1.0)]
    while open_:
        t, state, actions, chance = open_.pop()
        if state is None or (t, state) not in law.phases:
            found[actions] += chance
            continue
        for outcome, ways in law.phases[t, state].outcomes.items():
            chances = Chances(ways, law.arms)
            sums = tuple(int(sum(table[r - 1][s.arm] for r in s.rounds)) for s in chances.sums)
            after = (*actions, *outcome.actions)
            here = chance * float(chances.everywhere()[sums])
            open_.append((t + len(outcome.actions), outcome.then, after, here))
    return found


def playing(arms, own, t, rng):
    return own.playing


def collect(arms, own, reward, there):
    own.played += 1
    for j in range(len(arms)):
        arms[j].total += reward[j]
        arms[j].total_in_neighbour += there[j]


def wipe(arms):
    for j in range(len(arms)):
        arms[j].total = 0.0
        arms[j].total_in_neighbour = 0.0
