"""No number changes for anyone's learners and mechanisms, played in copies of the process: early in
a run of the tests, before it has compiled much."""

import pytest

from tests.same.__main__ import pieces, probed
from tests.same.requests import learner_requests

REQUESTS = learner_requests()


@pytest.mark.parametrize("names", pieces(REQUESTS), ids=lambda names: names[0].replace(" ", "-"))
def test_learners_are_answered_as_before(names):
    assert list(probed(REQUESTS, names)) == []
