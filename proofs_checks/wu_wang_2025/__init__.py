"""Wu & Wang, "Improved regret in stochastic decision-theoretic online learning under differential
privacy" (ALT 2025): what it proves about Algorithm 1, claim by claim.

`setting`: definitions, tables, what is quoted of others. `algorithm`: Algorithm 1, resampling.
`privacy`: the three noises. `monotone`: Lemmas 6 and 15. `tails`: Lemma 16 and eqs. (5) to (8).
`rates`: the sums in the proof of Theorem 3, Corollary 5. `lower_bound`: Theorem 7.
`softmax`: Lemmas 12 and 13. `deterministic`: Corollary 10, Theorem 11, Remark 14.
"""
