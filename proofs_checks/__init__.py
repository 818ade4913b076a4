"""What the papers prove: one room per paper, one function per claim.

A paper's room lists its `MODULES` in reading order. A check builds the parts of a certificate with
what `dpaudit.ledger` offers and returns a finding; its name is the claim's id.
"""

TITLES = {
    "hu_huang_mehta_2021": "Hu, Huang & Mehta (2021), Near-optimal algorithms for differentially "
    "private online learning in a stochastic environment",
    "hu_hegde_2022": "Hu & Hegde (2022), Near-optimal Thompson sampling-based algorithms for "
    "differentially private stochastic bandits",
    "tossou_dimitrakakis_2016": "Tossou & Dimitrakakis (2016), Algorithms for differentially "
    "private multi-armed bandits",
    "wu_wang_2025": "Wu & Wang (2025), Improved regret in stochastic decision-theoretic online "
    "learning under differential privacy",
    "hu_et_al_2025": "Hu, Huang, Zhang, Lécuyer & Hegde (2025), Connecting Thompson sampling and "
    "UCB: towards more efficient trade-offs between privacy and regret",
}
"""The papers by file name."""
