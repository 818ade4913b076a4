"""A small document of every kind, as plain data, and the same with markup in every free text."""

HOSTILE = "<img src=x onerror=alert(1)></script><!--<script>&amp;\"'"
FIXED = (
    "schema",
    "verdict",
    "notion",
    "engine",
    "trust",
    "shown",
    "feedback",
    "answer",
    "band",
    "halved",
    "doubled",
)
"""Fields that are not free text: a document with another value there is refused, or means else."""
ROWS = 12
USES = {"refuted": ("loose", "typo"), "loose": ("holds",), "typo": ("holds",)}
"""Which claim uses which, by verdict."""


def audit(**changes):
    table = [[0.0, 1.0]] * ROWS
    other = [list(row) for row in table]
    other[3] = [1.0, 0.0]
    return {
        "schema": "dpaudit/audit/1",
        "target": "leaky.py:Leaky",
        "claim": {"notion": "pure", "epsilon": 1.0, "delta": 0.0},
        "lower_bound": 1.59449,
        "upper_bound": 2.0,
        "upper": {"how": "forced paths", "proof": True},
        "confidence": 0.999,
        "verdict": "violated",
        "engine": "two-world",
        "runs": 1_000_000,
        "seconds": 3.2,
        "seed": 7,
        "arms": 2,
        "rounds": ROWS,
        "parameters": {"offset": "0"},
        "witness": {
            "rewards": table,
            "neighbour": other,
            "round": 4,
            "event": "action 0 is played from round 8 on",
            "actions": [[0] * ROWS],
            "lower_bound": 1.59449,
        },
        "spent": [{"on": "the pair", "alpha": 0.001}],
        "curve": [{"epsilon": 1.0, "delta": 0.1}],
        "per_step": {"lower_bound": 0.5, "event": "action 1 in round 3"},
        "adversary": "reward-last",
        "searched": "12 pairs",
        "why": "it is in the catalogue",
        "notes": ["one note"],
        "version": "0.1.0",
        **changes,
    }


def consistent(**changes):
    return audit(verdict="consistent", lower_bound=0.9, upper_bound=None, power=1.04, **changes)


def catalogue():
    gdp = {"notion": "gdp", "epsilon": None, "delta": 0.0, "eta": 2.0}
    rest = [consistent(), audit(), consistent(claim=gdp, name="a test")]
    return {"schema": "dpaudit/catalogue/1", "audits": rest}


def claims():
    entry = {
        "id": "lemma-24",
        "paper": "wu_wang_2025",
        "where": "Lemma 24, eq. (51)",
        "statement": "the sum is at most 2 log K",
        "method": "exact numbers",
        "verdict": "refuted",
        "detail": "the sum is 3 for K = 2",
        "counterexample": "K = 2",
        "tight": "3 log K",
        "scope": "step",
        "repair": "3 for 2",
        "considered": ["a base-2 logarithm"],
        "seconds": 0.1,
        "trust": "read",
        "shown": "kernel",
        "theorem": "File.name",
    }
    entries = [
        {
            **entry,
            "id": f"claim-{verdict}-{paper}",
            "verdict": verdict,
            "paper": paper,
            "uses": [f"claim-{used}-{paper}" for used in USES.get(verdict, ())],
        }
        for paper in ("wu_wang_2025", "hu_hegde_2022")
        for verdict in ("holds", "loose", "typo", "refuted", "undecided")
    ]
    return {"schema": "dpaudit/claims/1", "version": "0.1.0", "claims": entries}


def regret(**changes):
    return {
        "schema": "dpaudit/regret/2",
        "target": "anytime-lazy-ucb",
        "parameters": {"base": "2"},
        "epsilon": 0.5,
        "means": [0.75, 0.25],
        "environment": "bernoulli",
        "changes": [[500, [0.25, 0.75]]],
        "measured": "pseudo-regret against the best fixed arm of the means",
        "horizons": [10, 1000, 10**12],
        "mean": [3.0, 40.0, 3288.0],
        "low": [2.5, 39.0, 3284.0],
        "high": [3.5, 41.0, 3292.0],
        "band": "guaranteed",
        "normal_low": [2.6, 39.5, 3285.0],
        "normal_high": [3.4, 40.5, 3291.0],
        "quantiles": {"0.5": [3.0, 40.0, 3288.0]},
        "beyond": 0.01,
        "linear": {"runs": 0, "low": 0.0, "high": 0.01, "share": 0.5, "after": 2, "until": 1000},
        "metrics": {"realised": {"mean": [3.1, 40.2, 3289.0], "deviation": [1.0, 2.0, 3.0]}},
        "runs": 1000,
        "exact": False,
        "confidence": 0.999,
        "seed": 0,
        "seconds": 1.0,
        "notes": ["by leaps"],
        "version": "0.1.0",
        **changes,
    }


def scaling():
    arms = [16, 256, 4096, 65536]
    logs = [2.772588722239781, 5.545177444479562, 8.317766166719343, 11.090354888959125]
    wobble = [0.1, -0.1, -0.1, 0.1]
    points = [
        {
            "series": "rnm-ftnl, equal gaps",
            "x": float(k),
            "target": "rnm-ftnl",
            "environment": "deterministic",
            "instance": "equal gaps 0.5",
            "arms": k,
            "horizon": 2**60,
            "gap": 0.5,
            "epsilon": 0.1,
            "regret": 1.0 + 2.0 * log + w,
            "error": 0.001,
            "runs": 0,
            "bound": 10.0 * log,
            "ratio": 0.2,
            "parameters": {"resample": 1},
        }
        for k, log, w in zip(arms, logs, wobble, strict=True)
    ]
    study = {
        "study": "theorem-11-arms",
        "paper": "wu_wang_2025",
        "where": "Theorem 11",
        "question": "log K or log^2 K?",
        "targets": ["rnm-ftnl"],
        "laws": "a + b log K",
        "grid": "K = 16 to 2^16",
        "verdict": "not contradicted",
        "basis": "law",
        "answer": "log K suffices",
        "numbers": {"largest_ratio": 0.3},
        "points": points,
        "judged": [
            {
                "curve": "rnm-ftnl, equal gaps",
                "laws": "constant < log < log^2",
                "points": 4,
                "answer": "as stated",
                "beside": "log",
                "faster": [0.0, 0.01, 0.02],
                "control": [0.6, 0.67, 0.7],
                "slower": [0.7, 0.8, 0.9],
                "over_law": [2.3, 2.1],
            }
        ],
        "sensitivity": [
            {
                "threshold": "extra part",
                "value": 0.4,
                "halved": "not contradicted",
                "doubled": "not decided",
            }
        ],
        "control": {"what": "play at random exceeds the bound", "verdict": "violated"},
        "notes": ["not a proof"],
        "seed": 0,
        "quick": False,
        "seconds": 10.0,
    }
    power = {
        "laws": "log < log^2",
        "grid": "K = 16 to 2^16",
        "truth": "log",
        "noise": 0.01,
        "answers": {"no faster": 1.0},
    }
    rule = {"words": "One rule.", "threshold": 0.4, "level": 0.999, "power": [power]}
    return {
        "schema": "dpaudit/scaling/2",
        "version": "0.1.0",
        "seed": 0,
        "rule": rule,
        "studies": [study],
    }


def reproduction():
    def curve(label, mean):
        return {
            "panel": "epsilon = 1",
            "label": label,
            "target": "dp-se",
            "epsilon": 1.0,
            "horizons": [100, 200, 300],
            "mean": [mean, 2 * mean, 2.5 * mean],
            "low": [0.9 * mean, 1.9 * mean, 2.4 * mean],
            "high": [1.1 * mean, 2.1 * mean, 2.6 * mean],
            "runs": 20,
        }

    return {
        "schema": "dpaudit/reproduction/1",
        "experiment": "hu-hegde-figure-1",
        "paper": "hu_hegde_2022",
        "where": "Section 6, Figure 1",
        "parameters": {"horizon": 300, "runs": 20, "x": "rounds", "confidence": 0.99},
        "sentences": [
            {"text": "A beats B", "reading": "at the end", "verdict": v, "numbers": "1 to 2"}
            for v in ("confirmed", "not confirmed", "open")
        ],
        "curves": [curve("A", 10.0), curve("B", 20.0)],
        "notes": ["the figure's axis is ours"],
        "command": "dpaudit reproduce hu-hegde-figure-1 --seed 0",
        "seed": 0,
        "seconds": 2.0,
        "version": "0.1.0",
    }


def reproductions():
    return {"schema": "dpaudit/reproductions/1", "complete": True, "results": [reproduction()]}


def optimum():
    learner = {"name": "rnm-ftnl", "low": 1.19, "high": 1.19, "runs": 0}
    choice = {
        "actions": "0",
        "letters": "01",
        "reached": 0.2,
        "best": [0.7, 0.3],
        "other": [0.5, 0.5],
        "radius": 0.01,
    }
    return {
        "schema": "dpaudit/optimum/1",
        "rounds": 5,
        "arms": 2,
        "epsilon": 1.0,
        "delta": 0.0,
        "instance_gap": 0.5,
        "feedback": "full-information",
        "value": 0.918667232,
        "certified": 0.918667231,
        "gap": 1e-9,
        "certificate": "one.json",
        "uniform": 1.25,
        "variables": 777,
        "pairs": 5184,
        "learners": [
            {**learner, "needed_low": 0.4, "needed_high": 0.5},
            {**learner, "name": "hedge", "low": 0.8, "high": 0.85, "runs": 20},
        ],
        "policy": {
            "other": "rnm-ftnl",
            "runs": 100,
            "choices": [choice, {**choice, "other": None}],
        },
        "seconds": 0.3,
        "notes": ["one is left out"],
        "version": "0.1.0",
    }


def optima():
    other = {**optimum(), "epsilon": 4.0, "certified": 0.55, "value": 0.55}
    large = {
        "name": "rnm-ftnl",
        "feedback": "full-information",
        "epsilons": [1.0, 4.0],
        "low": [11.0, 9.0],
        "high": [11.0, 9.0],
        "exact": True,
    }
    return {
        "schema": "dpaudit/optima/1",
        "entries": [optimum(), other],
        "large_arms": 8,
        "large_rounds": 1e6,
        "large_gap": 0.25,
        "large": [large],
        "version": "0.1.0",
    }


def questions():
    entry = {
        "id": "is-it-tight",
        "paper": "hu_et_al_2025",
        "where": "Section 3",
        "asked": "is it tight?",
        "answer": "partly",
        "says": "nearly",
        "means": "an exact computation",
        "left": "the rest",
        "command": "dpaudit curve ts-gaussian --rounds 4",
        "shows": ["0.719323"],
        "quotation": "it may not be tight",
        "anchor": "3 0123456789abcdef",
        "sources": [
            {
                "name": "mu",
                "value": "0.719323",
                "at": "mu_high",
                "as": "6",
                "run": "curve ts-gaussian --rounds 4",
            },
            {"name": "kept", "value": "holds", "at": "claims.0.verdict", "result": "claims"},
        ],
    }
    return {"schema": "dpaudit/questions/1", "questions": [entry], "version": "0.1.0"}


def comparison(**changes):
    floor = {
        "name": "Azize et al.",
        "source": "a paper",
        "whom": "consistent learners",
        "regret": 17.5,
        "asymptotic": True,
        "recalled": True,
    }
    audited = {"notion": "pure", "claimed": 1.0, "lower": 0.99, "upper": 1.0, "how": "an audit"}
    quantiles = {"0.05": 180.0, "0.5": 205.0, "0.95": 240.0}
    first = {
        "name": "adap-ucb",
        "mean": 206.0,
        "low": 190.0,
        "high": 220.0,
        "quantiles": quantiles,
        "runs": 200,
        "seed": 7,
        "ranks": [1, 1],
        "privacy": audited,
        "floor": floor,
        "notes": ["a note"],
    }
    unknown = {"notion": "unknown", "claimed": 1.0, "how": "not audited"}
    apart = {"notion": "none", "claimed": None, "how": "no privacy is claimed"}
    second = {**first, "name": "mine.py:Mine", "ranks": [2, 3], "privacy": unknown, "seed": 8}
    third = {**first, "name": "ucb1", "ranks": [2, 3], "privacy": apart, "floor": None, "seed": 9}
    least = {"name": "Azize et al.", "asymptotic": True, "epsilons": [0.5, 2.0], "regret": [30, 9]}
    field = {
        "instance": {"name": "two arms", "means": [0.75, 0.25], "epsilon": 1.0},
        "feedback": "bandit",
        "standings": [first, second, third],
        "duels": [[0, 1, 0.9, 0.7, 1.0], [0, 2, 0.9, 0.7, 1.0], [1, 2, 0.5, 0.3, 0.7]],
        "floors": [floor],
        "least": least,
        "notes": ["adap-ucb is better than ucb1 in most runs, and worse on average"],
    }
    overall = [
        {"name": s["name"], "feedback": "bandit", "instances": 1, "ranks": s["ranks"], "won": 0,
         "lost": 1, "times_best": 1.0}
        for s in (first, second, third)
    ]  # fmt: skip
    return {
        "schema": "dpaudit/comparison/1",
        "suite": "all",
        "horizon": 10**6,
        "epsilon": 1.0,
        "runs": 200,
        "seed": 0,
        "confidence": 0.999,
        "fields": [field],
        "overall": overall,
        "left_out": [{"name": "ts-gaussian", "reason": "it would take 3 days"}],
        "notes": ["a note"],
        "version": "0.1.0",
        **changes,
    }


def leaderboard():
    both = [comparison(), comparison(horizon=10**12)]
    return {"schema": "dpaudit/leaderboard/1", "comparisons": both}


ALL = {
    "comparison": comparison,
    "leaderboard": leaderboard,
    "optimum": optimum,
    "optima": optima,
    "questions": questions,
    "audit": audit,
    "catalogue": catalogue,
    "claims": claims,
    "regret": regret,
    "scaling": scaling,
    "reproduction": reproduction,
    "reproductions": reproductions,
}


def poisoned(data, field=""):
    """The same data with markup in every free text, names of parameters included."""
    if isinstance(data, dict):
        free = field in ("parameters", "numbers")
        return {(HOSTILE if free else k): poisoned(v, k) for k, v in data.items()}
    if isinstance(data, list):
        return [poisoned(v, field) for v in data]
    return data + HOSTILE if isinstance(data, str) and field not in FIXED else data
