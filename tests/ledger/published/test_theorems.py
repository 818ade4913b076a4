"""Theorems for a proof assistant: there, proved, about the algorithms that name them, unchanged."""

import dataclasses
import re
import shutil

import msgspec
import pytest

from dpaudit.ledger.claims import claims_of
from dpaudit.ledger.published import compiling, theorems
from dpaudit.ledger.published.theorems import digest, files, register, statement
from dpaudit.paper_rooms import beside
from dpaudit.play.catalogue import catalogue
from dpaudit.prover.prove import prove

FOLDER = beside("rocq", "")
KNOWN = register()
NAMED = sorted(
    {t.theorem for t in KNOWN.algorithms.values()}
    | {name for claims in KNOWN.claims.values() for name in claims.values()}
)
needs_coqc = pytest.mark.skipif(not compiling.version(), reason="there is no coqc")


def proof_of(theorem):
    """From a theorem's statement to the end of its proof."""
    file, _, name = theorem.partition(".")
    text = (FOLDER / f"{file}.v").read_text()
    return re.search(rf"^(?:Theorem|Corollary|Lemma) {name}\b.*?\bQed\.", text, re.S | re.M)


@pytest.mark.parametrize("theorem", NAMED)
def test_a_theorem_that_is_named_is_there_with_its_proof(theorem):
    assert statement(FOLDER, theorem)
    found = proof_of(theorem).group()
    assert found.count("Qed.") == 1
    assert len(re.findall(r"^(?:Theorem|Corollary|Lemma) ", found, re.M)) == 1


def test_a_theorem_that_is_not_there_has_no_statement():
    assert statement(FOLDER, "Lazy.no_such_theorem") == ""
    assert statement(FOLDER, "Nothing.lazy_is_private") == ""


def test_what_rests_on_theorems_is_there():
    assert set(KNOWN.algorithms) <= set(catalogue())
    for paper, named in KNOWN.claims.items():
        assert set(named) <= {claim.id for claim in claims_of(paper)}


@pytest.mark.parametrize("path", [FOLDER / f for f in files(FOLDER)], ids=str)
def test_no_file_assumes_anything_and_each_says_what_it_models(path):
    text = path.read_text()
    assert compiling.left_open(text) == []
    assert text.startswith("(* ")
    assert len(text[: text.index("*)")].split()) > 40


def test_all_files_are_as_the_kernel_accepted_them():
    assert KNOWN.accepted == {name: digest(FOLDER, name) for name in files(FOLDER)}
    assert all(theorems.is_accepted(theorem) for theorem in NAMED)


@pytest.fixture(scope="module")
def proofs():
    """That each theorem has its hypothesis is shown where all are proved: tests/prover."""
    return {name: prove(name) for name in ("rnm-ftnl", "rnm-ftnl-repaired", "anytime-lazy-ucb")}


def test_proofs_about_files_give_the_hypotheses_of_their_theorems(proofs):
    for name, proof in proofs.items():
        assert KNOWN.algorithms[name].unmet(proof) is None


def test_hypotheses_that_are_not_met_are_seen(proofs):
    repaired = KNOWN.algorithms["rnm-ftnl-repaired"]
    assert "2 epsilon is booked" in repaired.unmet(proofs["rnm-ftnl"])
    assert "no bound" in repaired.unmet(prove("thompson"))
    assert "K = 2 only" in repaired.unmet(prove("rnm-ftnl-repaired", arms=2, rounds=9))
    half = KNOWN.algorithms["rnm-ftnl"]
    assert half.unmet(proofs["rnm-ftnl"]) is None
    dearer = dataclasses.replace(half, release=1)
    assert "a release books 2 epsilon, not 1" in dearer.unmet(proofs["rnm-ftnl"])


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("dp-ts", "arm0.psi, arm0.tree_sums@ may differ"),
        ("private-ucb", "arm0.tree_sums@ may differ"),
        ("ftnl", "arm[*].total may differ"),
        ("dp-ucb-bound", "2 epsilon is booked"),
    ],
)
def test_a_proof_of_another_schedule_does_not_give_the_hypothesis(other, why):
    """All but the last book 1 epsilon at most, as the lazy algorithm does."""
    assert re.match(why, KNOWN.algorithms["anytime-lazy-ucb"].unmet(prove(other)))


def tampered(proof, **changed):
    """With the last booking arrow changed."""
    last = max(i for i, arrow in enumerate(proof.graph) if arrow.books)
    graph = list(proof.graph)
    graph[last] = msgspec.structs.replace(graph[last], **changed)
    return msgspec.structs.replace(proof, graph=graph)


def test_a_schedule_that_releases_again_or_more_or_uncounted_is_seen(proofs):
    lazy, proof = KNOWN.algorithms["anytime-lazy-ucb"], proofs["anytime-lazy-ucb"]
    assert lazy.unmet(tampered(proof)) is None
    kept = tampered(proof, target=["arm0.total"])
    assert lazy.unmet(kept) == "what was released with 1 epsilon is released again"
    assert "a release books 1/2 epsilon, not 1" in lazy.unmet(tampered(proof, books=["1/2"]))
    assert "a release books 1/arms" in lazy.unmet(tampered(proof, books=["1/arms"]))
    assert "arm0.mean may differ" in lazy.unmet(tampered(proof, target=["arm0.mean"]))
    tree, proof = KNOWN.algorithms["private-ucb"], prove("private-ucb")
    assert tree.unmet(proof) is None
    assert "nothing counts" in tree.unmet(msgspec.structs.replace(proof, counted=[]))
    assert "a release books 1 epsilon, not (bit_length" in tree.unmet(tampered(proof, books=["1"]))


def test_a_changed_file_is_not_the_one_that_was_accepted(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "rocq")
    before = digest(tmp_path / "rocq", "Lazy.v")
    assert before == KNOWN.accepted["Lazy.v"]
    below = tmp_path / "rocq" / "Integral.v"
    below.write_text(below.read_text() + "\n")
    assert digest(tmp_path / "rocq", "Lazy.v") != before
    below.unlink()
    assert digest(tmp_path / "rocq", "Lazy.v") == ""


@needs_coqc
def test_the_kernel_accepts_the_files_on_the_axioms_of_the_real_numbers_alone():
    wanted = {name: [] for name in files(FOLDER)}
    for theorem in NAMED:
        file, _, name = theorem.partition(".")
        wanted[f"{file}.v"].append(name)
    for answer in compiling.compiled(FOLDER, wanted, files(FOLDER)):
        assert answer.refused == "", answer.file
        assert all(map(compiling.allowed, answer.axioms)), answer
        assert bool(answer.axioms) == bool(wanted[answer.file]), answer


# A constant of a statement or of a definition, moved: the proof does not go through any more.
MUTANTS = {
    "half the noise": ("Lazy", "(sums a + u a) (/ eps)", "(sums a + u a) (/ (2 * eps))"),
    "a smaller loss": (
        "Lazy",
        "<= exp eps * Pr (run A eps t')",
        "<= exp (eps / 2) * Pr (run A eps t')",
    ),
    "nothing forgotten": ("Lazy", "(put a 0 sums) rest)", "(put a (sums a + u a) sums) rest)"),
    "larger rewards": ("Lazy", "0 <= u a <= 1.", "0 <= u a <= 2."),
    "DP-UCB at epsilon": (
        "AllArms",
        "<= exp (2 * eps) * Pr (dp_ucb",
        "<= exp eps * Pr (dp_ucb",
    ),
    "an arm's reward in all items": ("AllArms", "then x else 0]", "then x else x]"),
    "the noise of one action for all": (
        "Leader",
        "(firstn n t)) (INR arms / eps)",
        "(firstn n t)) (1 / eps)",
    ),
    "half the divergence": ("Chernoff", "x * ln (x / y) +", "2 * x * ln (x / y) +"),
    "another whole number": ("Beta", "y (S a - 1).", "y (S a)."),
    "a sum of variances with a factor": (
        "Rotation",
        "w ^ 2 + squares rest",
        "2 * w ^ 2 + squares rest",
    ),
    "a smaller tail": (
        "Tails",
        "tail <= exp (- z ^ 2 / 2) / 2 /",
        "tail <= exp (- z ^ 2 / 2) / 3 /",
    ),
    "a bound with more room": ("Stuck", "8 / 1 ^ 2 * ln (INR T)", "80 / 1 ^ 2 * ln (INR T)"),
}


@needs_coqc
def test_what_is_false_does_not_compile(tmp_path):
    """Each mutant, something left open, and another axiom; what comes after them is tried."""
    folder = tmp_path / "rocq"
    shutil.copytree(FOLDER, folder)
    mutants, below = [], []
    for i, (file, old, new) in enumerate(MUTANTS.values()):
        text = (folder / f"{file}.v").read_text()
        assert text.count(old) == 1, old
        (folder / f"Mutant{i}.v").write_text(text.replace(old, new))
        mutants.append(f"Mutant{i}.v")
        below += theorems.with_needed(FOLDER, f"{file}.v")[:-1]
    (folder / "Open.v").write_text("Lemma x : 0 = 1. Admitted.\n")
    (folder / "Strange.v").write_text(
        "From Coq Require Import ClassicalEpsilon.\n"
        "Lemma x (P : nat -> Prop) : (exists n, P n) -> {n | P n}.\n"
        "Proof. apply constructive_indefinite_description. Qed.\n"
    )
    order = [*dict.fromkeys(below), *mutants, "Open.v", "Strange.v"]
    found = {a.file: a for a in compiling.compiled(folder, {"Strange.v": ["x"]}, order)}
    assert list(found) == order
    assert not any(found[name].refused for name in below)
    for name, what in zip(mutants, MUTANTS, strict=True):
        assert "Error" in found[name].refused, what
    assert found["Open.v"].refused == "assumes: Admitted"
    assert found["Strange.v"].refused == ""
    assert not all(map(compiling.allowed, found["Strange.v"].axioms))
