"""Run by the python of the accountants' environment: composes what `dpaudit curve --masses` wrote.

python read_masses.py FILE TIMES EPSILON...       prints a delta an epsilon, as a list in JSON
"""

import json
import sys

from dp_accounting.pld import privacy_loss_distribution


def mass(logs):
    """Log-probabilities by outcome; one that cannot happen is left out."""
    return {str(i): x for i, x in enumerate(logs) if x is not None}


def main(file, times, *epsilons):
    with open(file) as opened:
        data = json.load(opened)
    found = privacy_loss_distribution.from_two_probability_mass_functions(
        mass(data["log_there"]),
        mass(data["log_here"]),
        pessimistic_estimate=True,
        value_discretization_interval=1e-4,
    )
    composed = found.self_compose(int(times))
    print(json.dumps([composed.get_delta_for_epsilon(float(e)) for e in epsilons]))


if __name__ == "__main__":
    main(*sys.argv[1:])
