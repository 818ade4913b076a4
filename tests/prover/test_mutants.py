"""Each mutant loses its proof, or gets the larger bound that is right."""

import pytest

from dpaudit.prover.prove import prove
from tests.prover.mutants import BANDIT, COUNTED, FULL, LEAK, NONE

MUTANTS = [*BANDIT, *FULL, *COUNTED]


def test_there_are_many():
    assert len(MUTANTS) >= 40


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.entry}: {m.what}")
def test_a_mutant_has_no_proof_or_the_larger_bound(mutant, tmp_path):
    found = prove(mutant.algorithm(tmp_path), **mutant.given)
    if mutant.expected == NONE:
        assert found.bound is None
        assert found.leak or found.undecided or found.growth
    elif mutant.expected == LEAK:
        assert found.leak, found
    else:
        assert found.bound == pytest.approx(mutant.expected, rel=1e-5)
