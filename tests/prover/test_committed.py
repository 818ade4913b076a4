"""The evidence that is committed is of the code as it is, and taken for no other."""

import pytest

from dpaudit.play.catalogue import catalogue, find, source_of
from dpaudit.results.proofs import known


@pytest.mark.parametrize("name", catalogue())
def test_evidence_is_of_the_steps_as_they_are(name):
    """`dpaudit prove --out reports/proofs` makes it anew."""
    kept = known(name, source_of(find(name)))
    assert kept is not None
    assert kept.rounds == kept.arms == "every"
    assert kept.undecided is None


def test_evidence_of_other_steps_is_not_taken():
    source = source_of(find("ftnl"))
    assert known("ftnl", source) is not None
    assert known("ftnl", source[::-1]) is None
    assert known("rnm-ftnl", source) is None
