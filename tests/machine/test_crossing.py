"""When one index overtakes another, against a search round by round."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpaudit.machine.indices import FAR, bernoulli_kl, largest_mean, overtaken_at

COEFFICIENT = st.floats(-3, 3).map(lambda x: round(x, 6))
HORIZON = 3000


@given(st.integers(2, 500), COEFFICIENT, COEFFICIENT, COEFFICIENT)
@settings(max_examples=500, deadline=None, derandomize=True)
def test_the_closed_form_is_the_first_round_of_a_search(t, constant, root, linear):
    def difference(u):
        return constant + root * math.sqrt(math.log(u)) + linear * math.log(u)

    values = [difference(u) for u in range(t, HORIZON)]
    # Within rounding of zero either answer is right.
    assume(all(abs(v) > 1e-9 for v in values))
    assume(values[0] < 0.0)
    # A tangent crossing may fall between two rounds: the closed form may then be early, not late.
    found = next((t + i for i, v in enumerate(values) if v >= 0.0), None)
    computed = overtaken_at(t, constant, root, linear)
    if found is None:
        assert computed >= HORIZON or linear < 0.0
    else:
        assert computed == found or (linear < 0.0 and computed < found)


def test_an_index_that_never_overtakes_is_far():
    assert overtaken_at(10, -1.0, 0.0, 0.0) == FAR
    assert overtaken_at(10, -1.0, -1.0, 0.0) == FAR
    assert overtaken_at(10, -1.0, 0.0, -1.0) == FAR


@given(st.floats(0, 1), st.floats(0, 5))
@settings(deadline=None, derandomize=True)
def test_the_largest_mean_is_on_the_boundary(p, bound):
    q = largest_mean(p, bound)
    assert p <= q <= 1.0
    if 0.0 < q < 1.0:
        # 1e-9 covers 50 halvings where the divergence is not too steep.
        assert bernoulli_kl(p, q) <= bound + 1e-9
    if q + 1e-6 < 1.0 and q > 0.0:
        assert bernoulli_kl(p, q + 1e-6) > bound
