"""Tossou & Dimitrakakis, "Algorithms for differentially private multi-armed bandits" (AAAI 2016).

`setting`: Section 2, definitions and the hybrid mechanism. `noise`: Lemma B.2 and the tails of its
noise. `privacy`: Theorem 3.1. `bound`: Theorem 3.2 and its proof (DP-UCB-BOUND). `equal`: Theorem
3.3 (DP-UCB). `releases`: Algorithm 3's privacy (Lemma 3.1, Theorem 3.4, its corollaries).
`intervals`: Lemma B.1. `regret`: Theorem 3.5. `experiments`: Sections 4 and 5.
"""
