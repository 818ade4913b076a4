"""Section 2: regret, Definition 2.1, and the hybrid mechanism as it is described."""

from __future__ import annotations

from dpaudit.ledger import (
    at,
    claim,
    each,
    holds,
    identity,
    polynomial,
    refuted,
    typo,
)
from dpaudit.ledger.findings import Finding


@claim(
    "Section 2.1, eq. (2.1)",
    "T times the best mean less the expected reward is the sum of gap times expected pulls",
    breaks={"c": "1.01"},
)
def regret_decomposition(c: str = "1") -> Finding:
    """Three arms with pulls n1 + n2 + n3 = T; the third is the best."""
    return holds(
        "both sides are the same linear form in the numbers of pulls",
        identity(
            f"(n1 + n2 + n3)*m - {c}*(n1*a + n2*b + n3*m) == n1*(m - a) + n2*(m - b)",
            n1=(1, 50),
            n2=(1, 50),
            n3=(1, 50),
            a=("1/10", "1/2"),
            b=("1/10", "1/2"),
            m=("1/2", 1),
        ),
    )


@claim(
    "Definition 2.1",
    "with delta = 0, comparing single actions is the same as comparing all sets of actions",
    breaks={"c": "0.99"},
)
def definition_2_1_single_actions(c: str = "1") -> Finding:
    """With p_i = E q_i - s_i, s_i >= 0, for each action, sums obey the same bound."""
    return holds(
        "bounds on single probabilities add up; with delta > 0 they do not, hence the sets S",
        polynomial(f"(E*p - s) + (E*q - u) <= {c}*E*(p + q)", E=1, p="1/100", q="1/100", s=0, u=0),
        at("3/10 <= 1*(1/5) + 1/10"),
        at("3/10 + 3/10 > 1*(1/5 + 1/5) + 1/10"),
    )


@claim(
    "Section 2.2, after Definition 2.1",
    "a policy that meets Definition 2.1 in every round with epsilon shows at most epsilon of one "
    "reward in the actions of all later rounds together",
)
def definition_2_1_later_rounds() -> Finding:
    """Randomised response of the first reward, repeated in every later round."""
    return refuted(
        "Definition 2.1 bounds each round given the actions before it. A policy that reports the "
        "first reward by an independent randomised response in each later round meets it with "
        "epsilon = ln 2, but over n rounds it shows n ln 2.",
        at("(2/3)/(1/3) <= 2"),
        each("(2/3)**n/(1/3)**n > 2", n=range(2, 21)),
        each("(2/3)**n/(1/3)**n == 2**n", n=range(1, 21)),
        counterexample="each round: action 1 with probability 2/3 if r_1 = 1, 1/3 if r_1 = 0 "
        "(ratio 2); three rounds all 1: 8/27 against 1/27, ratio 8",
        scope="step",
        repair="let S range over sets of action sequences: P((a_1..a_T) in S)",
        considered=(
            "As a notion for one round the definition is sound; only the reading 'at time t or "
            "later on' needs more.",
            "Theorem 3.4 composes over releases, so the paper itself treats the sequence.",
        ),
    )


@claim(
    "Theorem 3.1, proof (post-processing)",
    "if the sequence of actions is an epsilon-private function of the rewards, then so is each "
    "action given the earlier ones (Definition 2.1)",
)
def definition_2_1_given_the_past() -> Finding:
    """A law of two actions whose joint ratios are at most 2 and a conditional one is 3.5."""
    names = {"11": ("2/100", "1/100"), "10": ("10/100", "20/100"), "0x": ("44/100", "395/1000")}
    joint = [at(f"max(({p})/({q}), ({q})/({p})) <= 2") for p, q in names.values()]
    return refuted(
        "Post-processing bounds joint probabilities. Definition 2.1 is about conditional ones, "
        "which are quotients of two joint ones and can reach twice epsilon.",
        *joint,
        at("2/100 + 10/100 + 2*(44/100) == 1"),
        at("1/100 + 20/100 + 2*(395/1000) == 1"),
        at("(2/(2 + 10))/(1/(1 + 20)) > 2"),
        at("(2/(2 + 10))/(1/(1 + 20)) <= 2**2"),
        counterexample="P(1,1) = .02 against .01, P(1,0) = .10 against .20, P(0,0) = P(0,1) = .44 "
        "against .395: all ratios at most 2 = e^epsilon, but P(second = 1 | first = 1) is 1/6 "
        "against 1/21, ratio 3.5",
        scope="step",
        repair="state Definition 2.1 for sequences, or claim 2 epsilon per round given the past",
        considered=(
            "If no noise were kept from round to round, the rounds would be independent given the "
            "actions and the step would be right; the hybrid mechanism keeps its noise.",
        ),
    )


@claim(
    "Section 2.3",
    "after the release at 2^k the tree's root holds the sum of items 2^k to 2^(k+1) - 1",
)
def hybrid_tree_range() -> Finding:
    """With rewards 1 the released sums must count the items."""
    return typo(
        "Item 2^k is in the sum released at time 2^k, so a tree that begins with it counts it "
        "twice.",
        each(
            "2**k + (t - 2**k + 1) > t", where="t > 2**k and t < 2**(k + 1)",
            k=range(7), t=range(1, 128),
        ),
        each(
            "2**k + (t - (2**k + 1) + 1) == t", where="t > 2**k and t < 2**(k + 1)",
            k=range(7), t=range(1, 128),
        ),
        correction="items 2^k + 1 to 2^(k+1) - 1",
        counterexample="k = 1, t = 3, rewards 1: 2 from the first half, items 2 and 3 from the "
        "tree, 4 in place of 3",
        considered=(
            "If the release at 2^k left item 2^k out, it would not be y_t = r_1 + ... + r_t, which "
            "the section asks for.",
        ),
    )  # fmt: skip


@claim(
    "Section 2.3",
    "the noise in a released sum is one Laplace variable of scale log(t)/epsilon",
)
def hybrid_one_laplace() -> Finding:
    """Variances at n = 2^(k+1) - 1: k nodes of the tree, k + 1 blocks of the first half."""
    return typo(
        "That is the noise of each node; a sum between powers of two takes up to k nodes, and the "
        "k + 1 noisy blocks before them.",
        each("k*(2*k**2) + (k + 1)*2 > 2*k**2", k=range(1, 41)),
        each("bits*2*k**2 <= k*(2*k**2)", where="bits <= k", bits=range(41), k=range(1, 41)),
        correction="noise of scale log(t)/epsilon on each node; a sum holds at most log2 t of them",
        counterexample="n = 15 (k = 3): three nodes of variance 18 and four blocks of variance 2, "
        "in all 62; one Laplace variable of scale 3 has 18",
        considered=("Lemma B.2's proof speaks of a sum of Laplace variables, as it must.",),
    )


@claim(
    "Section 2.3, quoting Chan, Shi and Song",
    "with probability 1 - gamma the hybrid mechanism's error is at most "
    "log(1/gamma) log(n)^1.5 / epsilon",
)
def chan_error_quoted() -> Finding:
    """At n = 2 the noise is a sum of two Lap(1/epsilon)."""
    x = "(log(2)*log(2)**1.5)"
    y = "(log(2)*log2(2)**1.5)"
    return typo(
        "The cited bound is an order of magnitude; with the constant 1 it fails for small n (at "
        "n = 1 it is 0).",
        at(f"exp(-{x})*(2 + {x})/2 > 1/2"),
        at(f"exp(-{y})*(2 + {y})/2 > 1/2"),
        at(f"exp(-(5*{x}))*(2 + 5*{x})/2 < 1/2"),
        correction="at most of the order log(1/gamma) log(n)^1.5 / epsilon",
        counterexample="n = 1: the bound is 0 and the noise Lap(1/epsilon). n = 2, gamma = 1/2: "
        "P(error > ln(2)^2.5/epsilon) = 0.80 (0.67 with base 2) in place of at most 0.5",
        considered=(
            "Base 2 and base e both fail.",
            "With noise of half the budget, as Chan et al. have it, the error is larger still.",
        ),
    )


@claim(
    "Section 2.3, eq. (2.2)",
    "bound (2.2) is tighter than log(1/gamma) log(n)^1.5 / epsilon, for gamma = n^-4 once "
    "log n >= 11",
    breaks={"start": "10"},
)
def tighter_than_chan(start: str = "11") -> Finding:
    """With z = sqrt(log n), as a polynomial; 2.8285 > sqrt(8), 1.3863 > log 4."""
    low = f"sqrt({start})"
    return holds(
        "from log n = 11 on the new bound is smaller; at log n = 9 and below it is larger, for "
        "every gamma",
        at("2.8285 > sqrt(8)"),
        at("1.3863 > log(4)"),
        at(f"2.8285*(1.3863 + 4*{low}**2)*({low}**2 + 1) <= 4*{low}**5"),
        at("331/100 <= sqrt(11)"),
        polynomial("2.8285*(1.3863 + 4*z**2)*(z**2 + 1) <= 4*z**5", z="331/100"),
        at("2.8284*(9 + 1) > 9**1.5"),
    )


@claim(
    "eq. (2.2), Appendix A.1 (h_n), Algorithm 1 (nu) and Lemma B.2",
    "the four statements of the noise bound agree for gamma = t^-4",
    breaks={"c": "3"},
)
def one_bound_in_four_places(c: str = "4") -> Finding:
    """h_n in Appendix A.1 is Algorithm 1's nu over n."""
    nu = "(sqrt(8)/e*log(4*t**4)*log(n) + sqrt(8)/e*log(4*t**4))"
    return holds(
        "log(4/gamma) is log(4 t^4), and the mean's error is the sum's over n",
        identity(
            f"{nu}/n == 1/e*sqrt(8)*log(n)*(log({c}) + 4*log(t))/n "
            f"+ 1/e*sqrt(8)*(log({c}) + 4*log(t))/n",
            e=("1/10", 1),
            t=(2, 90),
            n=(2, 50),
        ),
    )


@claim(
    "Section 3.2, Algorithm 2",
    "inserting zeros changes no sum and gives every mechanism the same number of items",
    breaks={"c": "1.01"},
)
def zeros_are_neutral(c: str = "1") -> Finding:
    """After t rounds each mechanism holds n rewards and t - n zeros."""
    return holds(
        "n rewards and t - n zeros are t items of the same sum",
        each(f"n + (t - n) == {c}*t", where="n <= t", n=range(1, 31), t=range(1, 31)),
        each(f"n*1 + (t - n)*0 == {c}*n", where="n <= t", n=range(1, 31), t=range(1, 31)),
    )
