"""Hu, Huang, Zhang, Lécuyer & Hegde, "Connecting Thompson sampling and UCB: towards more efficient
trade-offs between privacy and regret" (ICML 2025).

setting: GDP and the facts of Appendix A; thompson: TS-Gaussian and M-TS-Gaussian as Section 3
describes them; privacy: Algorithm 1 and Section 4.3; exploration: Lemma 4.1; optimism and
saturation: Lemma C.1, eqs. (7) and (8); regret: Theorem 4.2 and Appendix D; experiments: Section 5.
"""

from dpaudit.ledger.parts import Value

Box = dict[str, tuple[Value, Value]]
"""Where an identity is compared as numbers."""
