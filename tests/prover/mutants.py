"""Mutants of catalogue algorithms: a file with one text in place of another, loaded under a name of
its own, and what the prover has to say of it."""

import importlib.util
import itertools
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NUMBERS = itertools.count()
NONE = "no proof"
LEAK = "a leak"


def load(path):
    """The module in a file, under a name of its own."""
    name = f"written_{next(NUMBERS)}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Mutant:
    """`expected`: no proof, a leak that is named, or the larger bound that is right."""

    what: str
    entry: str
    file: str
    old: str
    new: str
    expected: str | float
    given: dict[str, Any] = field(default_factory=dict)

    def algorithm(self, folder):
        """The algorithm with the change. Of a library, the algorithm's file imports the copy."""
        changed = self._written(ROOT / self.file, folder, self.old, self.new)
        if self.file.startswith("dpaudit/"):
            library = self.file.removesuffix(".py").replace("/", ".")
            changed = self._written(
                ROOT / HOMES[self.entry], folder, f"from {library} import", f"from {changed} import"
            )
        (found,) = (e for e in sys.modules[changed].ENTRIES if e.card.name == self.entry)
        return found

    def _written(self, path, folder, old, new):
        text = path.read_text()
        # The card quotes the code before it stands.
        if text.count(old) not in (1, 2):
            raise LookupError(f"{self.what}: {old!r} stands {text.count(old)} times in {path.name}")
        copy = folder / f"{next(NUMBERS)}_{path.name}"
        before, _, after = text.rpartition(old)
        copy.write_text(before + new + after)
        return load(copy).__name__


def _all(entry, file, *rows):
    for what, old, new, expected, *given in rows:
        yield Mutant(what, entry, file, old, new, expected, *given)


LAZY = "algorithms/hu_huang_mehta_2021/anytime_lazy_ucb.py"
THOMPSON = "algorithms/hu_huang_mehta_2021/lazy_dp_ts.py"
MAXIMUM = "algorithms/hu_huang_mehta_2021/rnm_ftnl.py"
EACH = "algorithms/hu_huang_mehta_2021/ftnl.py"
VARIANTS = "algorithms/wu_wang_2025/rnm_ftnl_variants.py"
EPISODES = "algorithms/baselines/adap_ucb.py"
ELIMINATION = "algorithms/baselines/dp_se.py"
GAUSSIAN = "algorithms/hu_et_al_2025/ts_gaussian.py"
BUDGET = "algorithms/hu_et_al_2025/dp_ts_ucb.py"
TREES = "dpaudit/machine/trees.py"
HYBRID = "algorithms/tossou_dimitrakakis_2016/dp_ucb_bound.py"
PRIVATE = "algorithms/baselines/private_ucb.py"
HOMES = {"dp-ucb-bound-repaired": HYBRID, "private-ucb": PRIVATE}

CLEARED = "        pulled.total = 0.0\n        pulled.total_in_neighbour = 0.0\n"
RELEASE = "laplace(own, pulled.total, pulled.total_in_neighbour, 1.0 / own.epsilon, rng)"
FORGET = "        arms[j].total = 0.0\n        arms[j].total_in_neighbour = 0.0\n"
ENDS = "if pulled.pending == 1 << (pulled.epoch + 1):  # l. 6"

BANDIT = [
    *_all(
        "anytime-lazy-ucb",
        LAZY,
        ("half the noise", "1.0 / own.epsilon, rng", "0.5 / own.epsilon, rng", 2.0),
        ("a sum not cleared", CLEARED, "", NONE),
        ("one world's sum not cleared", "        pulled.total = 0.0\n", "", NONE),
        ("the wrong arm cleared", CLEARED, CLEARED.replace("pulled", "arms[0]"), NONE),
        ("the arm before it cleared", CLEARED, CLEARED.replace("pulled", "arms[arm - 1]"), NONE),
        ("released twice", f"total = {RELEASE}", f"total = {RELEASE}\n        {RELEASE}", 2.0),
        ("a sum decides", "return leader(arms, t)", "return int(arms[0].total)", NONE),
        ("a comparison of sums decides", "return leader(arms, t)",
         "return arms[1].total > arms[0].total", LEAK),
        ("a sum in the index", "arm.noisy_mean + arm.width", "arm.total + arm.width", NONE),
        ("released where the sum is 2", ENDS, "if pulled.total >= 2.0:", LEAK),
        ("released if the sum is 2 too", ENDS, ENDS.replace(":",
         " and pulled.total >= 2.0:"), LEAK),
        ("released if it differs", ENDS,
         ENDS.replace(":", " and pulled.total != pulled.total_in_neighbour:"), LEAK),
        ("the scale reads the sum", "1.0 / own.epsilon, rng",
         "(1.0 + pulled.total) / own.epsilon, rng", LEAK),
        ("the scale falls with the length", "1.0 / own.epsilon, rng",
         "1.0 / (own.epsilon * observations), rng", NONE),
        ("the neighbour's sum of the own reward", "+= reward_in_neighbour", "+= reward", LEAK),
        ("the own sum of the neighbour's reward", "pulled.total += reward\n",
         "pulled.total += reward_in_neighbour\n", LEAK),
        ("one sum counts twice", "pulled.total += reward\n", "pulled.total += 2.0 * reward\n",
         LEAK),
        ("noise by hand", RELEASE, "pulled.total + rng.laplace(0.0, 1.0 / own.epsilon)", LEAK),
        ("0 is released and the sum used", RELEASE,
         "pulled.total + laplace(own, 0.0, 0.0, 1.0 / own.epsilon, rng)", LEAK),
        ("the release is thrown away", f"total = {RELEASE}",
         f"{RELEASE}\n        total = pulled.total",
         LEAK),
        ("the noise is shrunk", "pulled.noisy_mean = total / observations",
         "pulled.noisy_mean = pulled.total + 0.1 * (total - pulled.total)", LEAK),
        ("the book set back", "        pulled.epoch += 1\n",
         "        own.pure = 0.0\n        pulled.epoch += 1\n", LEAK),
        ("the loss lowered", "        pulled.epoch += 1\n",
         "        own.loss -= 1.0\n        pulled.epoch += 1\n", LEAK),
        ("the book decides", "return leader(arms, t)",
         "return leader(arms, t) if own.loss < 1.0 else 0", LEAK),
        ("the reward as a whole number", "pulled.width = math.sqrt(3.0 / observations)",
         "pulled.width = math.sqrt(3.0 / observations) + int(reward)", LEAK),
        ("a leap that reads the sum", "    stays = last\n",
         "    stays = last + int(pulled.total)\n", LEAK),
        ("the worlds exchanged", "laplace(own, pulled.total, pulled.total_in_neighbour,",
         "laplace(own, pulled.total_in_neighbour, pulled.total,", LEAK),
        ("the same world twice", "laplace(own, pulled.total, pulled.total_in_neighbour,",
         "laplace(own, pulled.total, pulled.total,", LEAK),
        ("every arm gets the reward", "    pulled.total += reward\n",
         "    for j in range(len(arms)):\n        arms[j].total += reward\n", NONE),
        ("noise of no width", "1.0 / own.epsilon, rng", "0.0, rng", LEAK),
    ),
    *_all(
        "lazy-dp-ts",
        THOMPSON,
        ("a law of the sum", "arms[j].noisy_mean + 3.0 * log_t / (own.epsilon * n))\n        theta",
         "arms[j].total + 3.0 * log_t / (own.epsilon * n))\n        theta", NONE),
        ("the sum on top of the draw", "theta = rng.beta(",
         "theta = arms[j].total + rng.beta(", NONE),
    ),
    *_all(
        "adap-ucb",
        EPISODES,
        ("half the noise", "1.0 / own.epsilon, rng", "0.5 / own.epsilon, rng", 2.0),
        ("a sum not cleared", CLEARED, "", NONE),
        ("the raw mean", "pulled.noisy_mean = total / n",
         "pulled.noisy_mean = pulled.total / n", LEAK),
        ("a count of rewards", "own.left -= pulls", "own.left -= int(reward)", LEAK),
        ("a leap that reads the sum", "return int(own.left)\n",
         "return int(own.left + arms[arm].total)\n", LEAK),
    ),
    *_all(
        "dp-se",
        ELIMINATION,
        ("a quarter of the noise", "1.0 / own.epsilon, rng", "0.25 / own.epsilon, rng", 4.0),
        ("sums not cleared", "        arm.total = 0.0\n        arm.total_in_neighbour = 0.0\n", "",
         NONE),
        ("the raw sum eliminates", "arm.active == 1 and arm.noisy_mean <",
         "arm.active == 1 and arm.total <", LEAK),
    ),
]  # fmt: skip
FULL = [
    *_all(
        "rnm-ftnl",
        MAXIMUM,
        ("half the noise", "own.factor / own.epsilon", "0.5 * own.factor / own.epsilon", 4.0),
        ("sums not forgotten", "forget(arms, own)  # l. 6",
         "own.epoch += 1\n        own.played = 0", NONE),
        ("the same sums twice", "noisy_argmax(own, totals, there,",
         "noisy_argmax(own, totals, totals,", LEAK),
        ("released twice", "        totals, there =",
         "        own.playing = noisy_argmax(own, arms['total'], "
         "arms['total_in_neighbour'], scale, "
         "LAPLACE, rng)\n        totals, there =", 4.0),
        ("the raw leader", "noisy_argmax(own, totals, there, scale, LAPLACE, rng)",
         "totals.argmax()",
         NONE),
        ("the neighbour's own reward", "+= reward_in_neighbour[j]", "+= reward[j]", LEAK),
        ("the first action not forgotten", "    for j in range(len(arms)):\n" + FORGET,
         "    for j in range(1, len(arms)):\n" + FORGET, NONE),
        ("only the leader forgotten", "    for j in range(len(arms)):\n" + FORGET,
         FORGET.replace("        arms[j]", "    arms[own.playing]"), NONE),
        ("forgotten but the leader", FORGET,
         "        if j != own.playing:\n" + FORGET.replace("        arms",
         "            arms"), NONE),
        ("the epoch's end by the sums", "if own.played == 1 << own.epoch:",
         "if arms[0].total >= 1 << own.epoch:", NONE),
    ),
    *_all(
        "rnm-ftnl-repaired",
        MAXIMUM,
        ("half the noise", "own.factor / own.epsilon", "0.5 * own.factor / own.epsilon", 2.0),
    ),
    *_all(
        "ftnl",
        EACH,
        ("the budget not split", "len(arms) / own.epsilon", "1.0 / own.epsilon", NONE),
        ("the budget not split, of 3", "len(arms) / own.epsilon", "1.0 / own.epsilon", 3.0,
         {"arms": 3}),
        ("half the noise", "len(arms) / own.epsilon", "0.5 * len(arms) / own.epsilon", 2.0),
        ("the raw leader", "if noisy > best_total", "if arms[j].total > best_total", LEAK),
        ("sums not forgotten", "        forget(arms, own)\n",
         "        own.epoch += 1\n        own.played = 0\n", NONE),
    ),
    *_all(
        "rnm-ftnl-gumbel",
        VARIANTS,
        ("half the noise", "own.factor / own.epsilon", "0.5 * own.factor / own.epsilon", 2.0),
        ("the worlds exchanged", "noisy_argmax(own, totals, there_totals,",
         "noisy_argmax(own, there_totals, totals,", LEAK),
    ),
]  # fmt: skip
COUNTED = [
    *_all(
        "ts-gaussian",
        GAUSSIAN,
        ("half the deviation", "math.sqrt(own.c / n)", "0.5 * math.sqrt(own.c / n)", 4.0,
         {"rounds": 9}),
        ("noise by hand", "gaussian(own, here, there, math.sqrt(own.c / n), rng)",
         "here + math.sqrt(own.c / n) * rng.standard_normal()", LEAK),
        ("an opening that reads the sum", "- own.offset) * len(arms))",
         "- own.offset) * len(arms) + arms[0].total)", LEAK),
    ),
    *_all(
        "dp-ts-ucb",
        BUDGET,
        ("draws of twice the budget", "draws_left = own.phi", "draws_left = 2.0 * own.phi",
         2.8749690),
        ("draws that cost half", "draws_left -= 1.0", "draws_left -= 0.5", NONE),
        ("draws that never end", "    pulled.pending += pulls  # l. 12\n",
         "    pulled.pending += pulls  # l. 12\n    pulled.draws_left = own.phi\n", NONE),
        ("draws that cost nothing", "arm.draws_left -= 1.0", "arm.draws_left -= 0.0", NONE),
    ),
    *_all(
        "private-ucb",
        PRIVATE,
        ("the budget not split", "len(arms) * bit_length", "bit_length", 1.0, {"arms": 2}),
        ("nodes without the depth", "len(arms) * bit_length(own.horizon) / own.epsilon",
         "len(arms) / own.epsilon", NONE),
    ),
    *_all(
        "private-ucb",
        TREES,
        ("a node of another level", "arm.tree_sums[level] = total\n",
         "arm.tree_sums[level + 1] = total\n", NONE),
        ("nodes not cleared",
         "        arm.tree_sums[i] = 0.0\n        arm.tree_sums_in_neighbour[i] "
         "= 0.0\n        arm.tree_noisy[i] = 0.0\n    arm.tree_sums",
         "        arm.tree_noisy[i] = 0.0\n    arm.tree_sums", NONE),
        ("each node released twice", "    level = tree_put(arm, value, value_in_neighbour)\n",
         "    level = tree_put(arm, value, value_in_neighbour)\n"
         "    tree_release(own, arm, level, scale, rng)\n", NONE),
    ),
    *_all(
        "dp-ucb-bound-repaired",
        HYBRID,
        ("the split forgotten for blocks", "log_scale = own.split / own.epsilon",
         "log_scale = 1.0 / own.epsilon", 1.5),
        ("nodes without the depth", "own.split * (bit_length(items) - 1) /", "own.split /", NONE),
    ),
    *_all(
        "dp-ucb-bound-repaired",
        TREES,
        ("blocks not cleared",
         "        arm.block = 0.0\n        arm.block_in_neighbour = 0.0\n", "",
         NONE),
        ("trees not cleared", "        tree_clear(arm)\n    else", "    else", NONE),
    ),
]  # fmt: skip
