"""Hu, Huang & Mehta, arXiv 2102.07929, claim by claim.

setting: rates, regret and Definition 1 (Sections 1 to 3); facts: Appendix A; lazy_ucb: Theorems 2
and 3 (Section 4.1, Appendix B); lazy_ts, lazy_ts_sums: Theorems 4 and 5 (Section 4.2, Appendix C);
noisy_max: the privacy of RNM-FTNL (Theorem 8); leader_brackets, leader_regret: its regret (Lemma
24, Theorem 9, Corollaries 10 and 11); lower_bound: Theorem 12, and what the text says about
experiments and other papers.
Throughout, D is a gap, m = min(D, eps), L = ln T, n = 2**r.
"""
