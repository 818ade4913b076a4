"""Mutants that cannot be told from the algorithm: what they are called, and why nothing can differ.

A pattern is searched for in a mutant's id, `paper/file function: was -> is now in statement`.
"""

import re

EQUIVALENT = (
    (r": 1 -> 0 in for j in range\(1, len\(arms\)\)", "the first arm is compared with itself"),
    (r": 0 -> 1 in best = 0$", "any arm's value exceeds the first bound, so best is set anew"),
    (r": 1\.0 -> \S+ in best_\w+ = -1\.0$", "values are at least 0, above either bound"),
    (
        r"dp_ucb observe: arms\[arm\] -> arms\[0\] in nodes",
        "every mechanism has received an item in each round, so their numbers are the same",
    ),
    (
        r"dp_ucb_bound index: 1 -> 2 in if n & n - 1 != 0",
        "n & (n - 2) is 0 for powers of two but 1 only, where ln n is 0, and odd n keep their bit",
    ),
    (
        r"dp_ucb_int start: arms\[j\]",
        "due at 0 pulls, the first pull finds the first release of the schedule all the same",
    ),
    (
        r"dp_ts_ucb select: arm.draws_left >= 1.0 -> arm.draws_left > 1.0",
        "the budget is no whole number, and so what is left of it is never 1",
    ),
    (
        r"ts_gaussian opening: 1.0 -> 1.01",
        "rounded down, a hundredth of the arms is nothing below a hundred arms",
    ),
    (
        r"hedge select: (len\(arms\) [-+] 1|1) -> .* in return len\(arms\) - 1",
        "reached only where rounding leaves something of the uniform after the last weight",
    ),
    (
        r"hedge select: left < 0.0 -> left <= 0.0",
        "a uniform meets a sum of weights by chance 2^-53",
    ),
    (
        r"private_ucb select: t <= len\(arms\) -> t < len",
        "an arm that was not pulled has an infinite index by its bonus, and so comes next anyway",
    ),
    (
        r"dp_(klucb|imed) .*: p >= nearest\(q, epsilon\) -> p > ",
        "there the two formulas of the divergence have the same value",
    ),
    (r"rnm_ftnl start: own.playing = 0 -> nothing", "the state starts at 0"),
    (
        r"rnm_ftnl_variants observe: uniform < (here|there) -> ",
        "a uniform meets a loss by chance 2^-53",
    ),
    (
        r"(hu_|tossou|adap|private_ucb).*: (this|theta|noisy|arm\.index) > (\S+) -> .* >= ",
        "two values with continuous noise are equal with probability 0",
    ),
)


def why_equivalent(mutant):
    """The reason, or nothing for a mutant that has to be killed."""
    return next((reason for pattern, reason in EQUIVALENT if re.search(pattern, mutant)), "")
