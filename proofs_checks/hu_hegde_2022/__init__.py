"""Hu & Hegde, "Near-optimal Thompson sampling-based algorithms for differentially private
stochastic bandits" (UAI 2022): the main paper; its appendix is not at hand.

`setting`: Sections 1-2. `mechanism`: Section 3 and the bookkeeping of Algorithm 1. `privacy`:
Theorems 1 and 3. `dp_ts`: Theorem 2, its sketch and its remarks. `concentration`: the events of
both sketches. `reduction`: equations (2), (4), (5). `lazy`: Theorem 4. `experiments`: Section 4.
HHM is arXiv 2102.07929v3, which restates the Lazy-DP-TS part as the authors' own; it is cited where
it shows what was meant. Accents (hat, tilde, bar) are unreliable in the text at hand: no entry
accuses one.
"""
