"""The optimum from its definition: no reduction, a variable for every history, and the worst case
over the instances as a variable of its own. Written apart from `dpaudit.optimal`."""

import itertools
import math

from scipy.optimize import linprog
from scipy.sparse import lil_array


def optimum(rounds, arms, epsilon, gap, feedback, delta=0.0):
    """For at most four rounds or so."""
    full = feedback == "full-information"
    vectors = list(itertools.product((0, 1), repeat=arms))
    letters = vectors if full else [0, 1]
    places = {}
    for t in range(1, rounds + 1):
        for history in itertools.product(
            itertools.product(range(arms), repeat=t), itertools.product(letters, repeat=t - 1)
        ):
            places[history] = len(places)
    worst = len(places)
    slacks = {}
    equal, most = [], []  # rows: ({column: value}, right)

    def seen(actions, table):
        return tuple(row if full else row[a] for a, row in zip(actions, table, strict=False))

    equal.append(({places[(a,), ()]: 1.0 for a in range(arms)}, 1.0))
    for (actions, shown), place in places.items():
        if len(actions) < rounds:
            for letter in letters:
                row = {places[(*actions, a), (*shown, letter)]: 1.0 for a in range(arms)}
                equal.append((row | {place: -1.0}, 0.0))
    ratio = math.exp(epsilon)
    for table in itertools.product(vectors, repeat=rounds - 1):
        for s, row in itertools.product(range(rounds - 1), vectors):
            if row == table[s]:
                continue
            other = (*table[:s], row, *table[s + 1 :])
            beyond = {}
            for actions in itertools.product(range(arms), repeat=rounds):
                here = places[actions, seen(actions, table)]
                there = places[actions, seen(actions, other)]
                if here == there:
                    continue
                if delta:
                    slack = slacks.setdefault((here, there), worst + 1 + len(slacks))
                    most.append(({here: 1.0, there: -ratio, slack: -1.0}, 0.0))
                    beyond[slack] = 1.0
                else:
                    most.append(({here: 1.0, there: -ratio}, 0.0))
            if delta:
                most.append((beyond, delta))
    for best in range(arms):
        mean = [0.5 - gap / 2 if a == best else 0.5 + gap / 2 for a in range(arms)]
        row = {worst: -1.0}
        for (actions, shown), place in places.items():
            chance = 1.0
            for a, letter in zip(actions, shown, strict=False):
                values = enumerate(letter) if full else [(a, letter)]
                for arm, loss in values:
                    chance *= mean[arm] if loss else 1 - mean[arm]
            if actions[-1] != best:
                row[place] = chance * gap
        most.append((row, 0.0))
    columns = worst + 1 + len(slacks)
    cost = [0.0] * columns
    cost[worst] = 1.0
    answer = linprog(
        cost,
        A_ub=_matrix(most, columns),
        b_ub=[right for _, right in most],
        A_eq=_matrix(equal, columns),
        b_eq=[right for _, right in equal],
        bounds=(0, None),
        method="highs",
    )
    assert answer.status == 0, answer.message
    return answer.fun


def _matrix(rows, columns):
    matrix = lil_array((len(rows), columns))
    for i, (row, _) in enumerate(rows):
        for column, value in row.items():
            matrix[i, column] += value
    return matrix.tocsr()
