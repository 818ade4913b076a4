"""Section 3 and the bookkeeping of Algorithm 1: epochs, partition, noise variables."""

from __future__ import annotations

from dpaudit.ledger import (
    ambiguous,
    at,
    chain,
    claim,
    each,
    holds,
    identity,
    induction,
    polynomial,
    typo,
)
from dpaudit.ledger.claims import Finding

MOST = range(1, 2048)
"""Numbers of observations that are enumerated."""


@claim("Section 3, partition", "the first part of n observations has m = 2^ceil(log(n+1)) - 1")
def partition_ceiling() -> Finding:
    """The modified logarithmic mechanism works on the first m."""
    return typo(
        "with the ceiling m exceeds n unless n + 1 is a power of two; with the floor it is what "
        "lines 13-15 have summed up, and never exceeds n",
        at("2**ceillog2(n + 1) - 1 > n", n=2),
        each("2**ceillog2(n + 1) - 1 > n", where="2**floorlog2(n + 1) < n + 1", n=MOST),
        each("2**floorlog2(n + 1) - 1 <= n", n=MOST),
        correction="m = 2^floor(log(n+1)) - 1",
        counterexample="n = 2: ceil(log 3) = 2, so m = 3 of 2 observations",
        considered=(
            "a bracket misread in the text at hand: remark (a) prints r_j = floor(log(O+1)) - 1, "
            "so that text does tell the brackets apart",
            "line 13 closes an epoch at 2^(r+2) - 1 observations, which is m with the floor",
        ),
    )


@claim(
    "Section 3, partition",
    "with that floor the second part is never longer than the first: n - m <= m",
    breaks={"c": "0.999"},
)
def partition_balance(c: str = "1") -> Finding:
    """m = p - 1 and n = 2(p - 1) - w for a power p of two and some w >= 0."""
    return holds(
        "equality at n = 2^(k+1) - 2",
        each(f"n - (2**floorlog2(n + 1) - 1) <= {c}*(2**floorlog2(n + 1) - 1)", n=MOST),
        polynomial("(2*(p - 1) - w) - (p - 1) <= p - 1", p=1, w=0),
    )


@claim(
    "Section 3, modified Logarithmic Mechanism",
    "noise at 2^(r+1) - 1 instead of 2^r observations means less overall noise",
)
def log_mechanism_count() -> Finding:
    """floor(log(n+1)) variables instead of floor(log n) + 1."""
    return ambiguous(
        "The first mechanism has fewer variables by one unless n + 1 is a power of two. But the "
        "sum released together with the tree is not less noisy at every n: at n = 4 its variance "
        "is 2 + 2^2 units against 3 of the original mechanism, which released no tree.",
        at("floorlog2(n + 1) + floorlog2(n + 1)**2 > floorlog2(n) + 1", n=4),
        each("floorlog2(n + 1) <= floorlog2(n) + 1", n=MOST),
        each("floorlog2(n + 1) == floorlog2(n)", where="2**floorlog2(n + 1) < n + 1", n=MOST),
        repair="fewer noise variables in the first mechanism",
        counterexample="n = 4: variance 6 units with the tree, 3 without",
        considered=("compared with a tree over all n observations the noise is less",),
    )


@claim(
    "Section 3.1.1, remark (a)",
    "r_j = floor(log(O_j + 1)) - 1 (up to 2047 observations)",
    breaks={"c": "0"},
)
def epoch_formula(c: str = "1") -> Finding:
    """Lines 3 and 13-15: epoch r lasts from 2^(r+1) - 1 to 2^(r+2) - 2 observations."""
    epoch = f"(floorlog2(n + 1) - {c})"
    return holds(
        "the formula gives the epoch that lines 13-15 have reached",
        each(f"2**({epoch} + 1) - 1 <= n", n=MOST),
        each(f"n <= 2**({epoch} + 2) - 2", n=MOST),
        only="up to 2047 observations",
        decides="2^(r+1) - 1 <= n < 2^(r+2) - 1 is what floor(log2(n + 1)) - 1 = r says",
    )


@claim(
    "Algorithm 1, line 13",
    "2^0 + ... + 2^(r+1) = 2^(r+2) - 1, so that Psi has 2^(r+1) items there",
    breaks={"c": "2"},
)
def line_13_count(c: str = "1") -> Finding:
    """The text says it as: Psi hits 2^(r+1)."""
    return holds(
        "geometric sum; the epoch before ended at 2^(r+1) - 1",
        induction(f"sum(2**k, k, 0, n) == 2**(n + 1) - {c}", 0),
        identity("(2**(r + 2) - 1) - (2**(r + 1) - 1) == 2**(r + 1)", r=(0, 20)),
    )


@claim(
    "Section 3.1.1, last sentence on updates",
    "Psi never holds more than 2^(r+1) observations (up to 2047 observations)",
    breaks={"c": "0.99"},
)
def psi_size(c: str = "1") -> Finding:
    """After line 12 the O-th observation is in Psi; before line 13, r + 1 = floor(log O)."""
    return holds(
        "attained whenever line 13 is true",
        each(f"n - 2**floorlog2(n) + 1 <= {c}*2**floorlog2(n)", n=MOST),
        only="up to 2047 observations",
        decides="n - 2^k + 1 <= 2^k for n < 2^(k+1)",
    )


@claim(
    "Section 3.1.1, remark (b)",
    "a private mean holds at most r + 1 noise variables of the tree (r <= 7)",
    breaks={"c": "1"},
)
def noise_count_tree(c: str = "0") -> Finding:
    """As many as x = |Psi| < 2^(r+1) has binary ones: x - floor(x/2) - floor(x/4) - ..."""
    return holds(
        "attained at |Psi| = 2^(r+1) - 1; k stands for r + 1",
        each(
            f"x - sum(floor(x/2**i), i, 1, 8) <= k - {c}",
            where="x < 2**k",
            x=range(1, 256),
            k=range(1, 9),
        ),
        only="r <= 7",
        decides="induction over the binary digits of |Psi|",
    )


@claim(
    "Section 3.1.1, remark (b)",
    "exactly r + 1 variables Lap(2/eps): one at line 3, one each time line 14 is reached",
    breaks={"c": "2"},
)
def noise_count_log(c: str = "1") -> Finding:
    """Line 14 has been reached at 3, 7, 15, ..., 2^(r+1) - 1 observations."""
    return holds(
        "counted up to 255 observations",
        each(
            f"{c} + sum((1 if 2**(i + 1) - 1 <= n else 0), i, 1, 9) == (floorlog2(n + 1) - 1) + 1",
            n=range(1, 256),
        ),
        only="up to 255 observations",
        decides="lines 13 to 15, by induction over epochs",
    )


@claim(
    "Algorithm 1, line 17",
    "an item lies in at most r + 1 completed nodes of its tree (r <= 7)",
    breaks={"last": "0"},
)
def tree_levels(last: str = "1") -> Finding:
    """Item i is in the node of level l that ends at ceil(i/2^l) 2^l; the tree ends at 2^k - 1."""
    nodes = "sum((1 if ceil(i/2**l)*2**l <= 2**k - {0} else 0), l, 0, k)"
    return holds(
        "so Lap((r+1)/(eps/2)) costs at most eps/2. The scale just fits because line 13 keeps the "
        "2^(r+1)-th item out of the tree: with it the first item would be in r + 2 nodes",
        each(
            f"{nodes.format(last)} <= k",
            where="i < 2**k",
            i=range(1, 256),
            k=range(1, 9),
        ),
        at(f"{nodes.format('0')} == k + 1", i=1, k=8),
        only="r <= 7",
        decides="ceil(i/2^l) 2^l <= 2^k - 1 fails at l = k for every i",
    )


@claim(
    "Section 3.1.2, remark (b) on Theorem 2",
    "as eps grows Algorithm 1 becomes non-private Thompson sampling: its shift is at most "
    "282/eps for all n >= 1 at t = 10^5",
    breaks={"c": "6.01"},
)
def limit_without_privacy(c: str = "6") -> Finding:
    """6 sqrt(8) log(n+1) log(10^5)/n is largest at n = 1; ln(n + 1) <= 0.6932 n."""
    return holds(
        "the shift vanishes, and so does the noise. What remains is that Algorithm 1 pulls each "
        "arm once before it draws",
        chain("log(n + 1) <= 0.6932*n", "n", 1, factors=("n + 1",)),
        at(f"{c}*sqrt(8)*0.6932/log(2)*log2(100000) <= 282"),
        only="t = 10^5",
        decides="the same with another number for every t",
    )


@claim(
    "Section 3",
    "Lazy-DP-TS: batches of 2^r observations, r = 0, 1, ..., share no observation",
    breaks={"c": "2"},
)
def lazy_batches(c: str = "1") -> Finding:
    """Batch r begins after the 2^r - 1 observations of the batches before."""
    return holds(
        "lengths add up to where the next batch begins",
        induction(f"sum(2**k, k, 0, n) == 2**(n + 1) - {c}", 0),
    )
