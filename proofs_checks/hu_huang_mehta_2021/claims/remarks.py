"""What the text says about its experiments, its earlier version and other papers."""

from __future__ import annotations

from dpaudit.ledger import claim, undecided
from dpaudit.ledger.findings import Finding


@claim("Section 6", "AdaP-KLUCB is by Asi et al. (2022)")
def source_of_adap_klucb() -> Finding:
    """Footnote 9 and Section 4.1 cite Azize & Basu (2022)."""
    return undecided(
        "noticed on reading: Section 6 attributes AdaP-KLUCB to Asi et al. (2022); footnote 9 "
        "and Section 4.1 attribute it to Azize & Basu (2022), who compare bandit algorithms."
    )


@claim("Appendix C, eq. (44), last line", "the quantifier runs over j")
def quantifier_of_eq_44() -> Finding:
    """The event is about theta_i."""
    return undecided(
        "noticed on reading: the last line of eq. (44) bounds theta_i for all j other than 1; "
        "all i other than 1 is meant, as in the lines before."
    )


@claim("Section 5, eq. (9)", "brackets are subsets of K")
def set_of_actions_in_eq_9() -> Finding:
    """K is a number."""
    return undecided(
        "noticed on reading: eq. (9) takes j from K, a number; [K], the set of actions, is meant."
    )


@claim("Section 6", "Lazy-DP-TS does better than DP-SE and Anytime-Lazy-UCB in every experiment")
def experiments_ordering() -> Finding:
    """Figures 1 and 2, 20 runs each, T = 10^6."""
    return undecided(
        "an observation on 20 runs, not a statement with a proof; it belongs to the reproduction "
        "of the experiments."
    )


@claim(
    "Section 6, items 1 and 2",
    "Lazy-DP-TS and AdaP-KLUCB share the coefficients of log T and of log(T)/eps",
)
def same_coefficients() -> Finding:
    """Asymptotics of Thompson sampling and KL-UCB from other papers."""
    return undecided(
        "asymptotic statements about other papers' algorithms, 'essentially' in one case; their "
        "texts are not at hand."
    )


@claim(
    "Sections 1, 3 and 5, results quoted",
    "bounds of Shariff & Sheffet, Azize & Basu, Asi et al., Agarwal & Singh, Mourtada & Gaiffas",
)
def quoted_results() -> Finding:
    """Agarwal & Singh's bound is Jain & Thakurta's (2014) for Wu & Wang (2025), Section 1."""
    return undecided(
        "the texts are not at hand. The bound quoted from Agarwal & Singh (2017), with "
        "K log K log^2(T)/eps, is attributed to Jain & Thakurta (2014) by Wu & Wang (2025)."
    )


@claim("Section 5, after Corollary 11", "an inequality of the arXiv version 1 fails for small eps")
def mistake_in_version_1() -> Finding:
    """Eq. (54) of that version."""
    return undecided("the text of version 1 is not at hand.")
