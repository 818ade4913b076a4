"""Affine forms are numbers that are not known yet: at a point, every operation and comparison gives
what it gives for the numbers."""

import itertools
import math
import operator

import pytest
from flint import fmpq

from dpaudit.auditor.engines.exact.steps.forms import Form
from dpaudit.play.reach.steps import Unfit

NOISE, DATA = {0: 0.25, 1: -1.5, 2: 0.5}, {0: 1.0, 1: 0.0}


def value(form):
    """At the point."""
    if not isinstance(form, Form):
        return form
    noise = sum(float(weight) * NOISE[name] for name, weight in form.noise.items())
    return (
        noise + sum(float(w) * DATA[name] for name, w in form.data.items()) + float(form.constant)
    )


class AtPoint:
    def positive(self, form):
        return value(form) > 0.0

    def zero(self, form):
        return value(form) == 0.0

    def whole(self, form):
        return math.floor(value(form))


def form(noise, data, constant):
    made = (
        {name: fmpq(*w.as_integer_ratio()) for name, w in each.items()} for each in (noise, data)
    )
    return Form(AtPoint(), *made, fmpq(*float(constant).as_integer_ratio()))


FORMS = [
    form({0: 1.0}, {}, 0.0),
    form({0: -1.0}, {}, 0.25),  # 0 at the point
    form({0: 2.0}, {0: 1.0}, -1.0),
    form({1: 1.0}, {1: 0.5}, 0.0),
    form({0: 1.0, 2: -0.5}, {}, 0.0),  # 0 at the point
    form({0: 1.0}, {}, 1.0),  # the first, and one
]
NUMBERS = [0.0, 0.25, -1.5, 1, 0.5]
COMPARED = [getattr(operator, name) for name in ("gt", "lt", "ge", "le", "eq", "ne")]
PAIRS = [*itertools.product(FORMS, FORMS), *itertools.product(FORMS, NUMBERS)]
PAIRS += [(number, each) for each, number in itertools.product(FORMS, NUMBERS)]
ODD = [math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("compare", COMPARED, ids=lambda each: each.__name__)
def test_comparisons_are_those_of_the_numbers(compare):
    for one, other in PAIRS:
        assert compare(one, other) == compare(value(one), value(other)), (value(one), value(other))


@pytest.mark.parametrize("compare", COMPARED, ids=lambda each: each.__name__)
@pytest.mark.parametrize("odd", ODD)
def test_nothing_is_beyond_the_infinite_nor_like_what_is_no_number(compare, odd):
    for each in FORMS:
        assert compare(each, odd) == compare(value(each), odd)
        assert compare(odd, each) == compare(odd, value(each))


def test_sums_and_multiples_are_those_of_the_numbers():
    for one, other in PAIRS:
        assert value(one + other) == value(one) + value(other)
        assert value(one - other) == value(one) - value(other)
    for each, number in itertools.product(FORMS, NUMBERS):
        assert value(each * number) == value(number * each) == value(each) * number
        if number:
            assert value(each / number) == pytest.approx(value(each) / number, abs=1e-15)
    for each in FORMS:
        assert value(-each) == -value(each)
        assert value(+each) == value(each)
        assert value(abs(each)) == abs(value(each))
        assert bool(each) == bool(value(each))
        assert int(each) == math.floor(value(each))


def test_what_cancels_is_a_number():
    one, same = form({0: 1.0}, {0: 2.0}, 1.5), form({0: 1.0}, {0: 2.0}, 1.0)
    assert type(one - same) is float
    assert one - same == 0.5
    assert one != same
    assert one > same
    assert same - same == 0.0


REFUSED = {
    "two noisy or private values are multiplied": lambda x: x * x,
    "a value is divided by a noisy or private one": lambda x: x / x,
    "a value is divided by a noisy or private": lambda x: 1.0 / x,
    "is divided by 0": lambda x: x / 0.0,
    "inf enters the arithmetic": lambda x: x + math.inf,
    "nan enters the arithmetic": lambda x: x * math.nan,
    "a function that is not affine": math.exp,
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_no_form_is_refused_with_its_reason(why):
    for each in FORMS:
        with pytest.raises(Unfit, match=why):
            REFUSED[why](each)
