"""What is said to the kernel: sorts, sides, files. No coqc is needed."""

import re
from fractions import Fraction

import pytest

from dpaudit.kernel.coqc import HOUSE, PRELUDE, Answer
from dpaudit.kernel.exact import Name, Sayer, Unsaid
from dpaudit.kernel.goals import lemma
from dpaudit.kernel.moved import falsified
from dpaudit.kernel.sheets import sheet, untouched
from dpaudit.ledger import (
    at,
    bookings,
    chain,
    cover,
    each,
    evident,
    identity,
    induction,
    polynomial,
)
from dpaudit.ledger.formulas import Open
from dpaudit.ledger.parts import holds_at

PARTS = [
    at("1/3 + sqrt(2) < 2"),
    at("abs(-1) != 2"),
    each("2**floorlog2(n) <= n", n=range(1, 40)),
    each("sum(binomial(n, k)*q**k, k, 0, n) > 1", "n > 1", n=range(1, 4), q=["1/3", "2"]),
    cover("exp(x) <= 3", x=("0", "1")),
    cover("normal(x)*min(x, 2) <= 1", x=("0", "1")),
    identity("(x + 1)**2 == x**2 + 2*x + 1", x=("0", "1")),
    polynomial("x**2 >= x", x=1),
    evident("exp(-x)/2 >= 0", x=0),
    chain("log(x) <= x", "x", 1, factors=("x", "1")),
    induction("sum(2**k, k, 0, n) == 2**(n + 1) - 1", 0),
    bookings("ftnl", "1", epsilon=1.0, arms=2, rounds=3),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["kind"])
def test_each_kind_of_formula_is_a_lemma(part):
    made = lemma(part)
    assert made.statement
    assert "admit" not in made.proof.lower()


def said(formula, **at_):
    return Sayer({}, {name: Fraction(x) for name, x in at_.items()})(formula)


@pytest.mark.parametrize(
    ("formula", "sort", "text"),
    [
        ("2 + 3", "Z", "(2 + 3)"),
        ("1/3", "Q", "((inject_Z 1) / (inject_Z 3))"),
        ("0.25", "Q", "(1 # 4)"),
        ("2**5", "Z", "(2 ^ 5)"),
        ("2**(-5)", "Q", "((inject_Z 2) ^ (- 5))"),
        ("exp(1)", "R", "(Exp (Int 1))"),
        ("2**0.5", "R", "(Pow (Sqrt (Int 2)) 1)"),
        ("floor(7/2)", "Z", "(qfloor ((inject_Z 7) / (inject_Z 2)))"),
    ],
)
def test_whole_numbers_and_fractions_stay_what_they_are(formula, sort, text):
    found = said(formula)
    assert (found.sort, found.text) == (sort, text)


def test_a_whole_power_may_only_be_taken_where_the_exponent_is_not_negative():
    """Z.pow is 0 for negative exponents: 2**(k - 1) is a fraction where k may be 0."""
    assert Sayer({"k": Name("Z", "k", 1, 9)})("2**(k - 1)").sort == "Z"
    assert Sayer({"k": Name("Z", "k", 0, 9)})("2**(k - 1)").sort == "Q"


def test_a_rounded_real_comes_with_what_it_rests_on():
    say = Sayer({})
    assert say("floor(sqrt(10))").text == "3"
    assert say.sides == ["(RLe (Int 3) (Sqrt (Int 10)))", "(RLt (Sqrt (Int 10)) (Int 4))"]


@pytest.mark.parametrize("formula", ["cos(1)", "floor(x)", "factorial(1/2)", "x"])
def test_what_cannot_be_said_is_not(formula):
    with pytest.raises(Unsaid):
        Sayer({"x": Name("R", "(Var 0)")} if formula == "floor(x)" else {})(formula)


SIX = dict.fromkeys("pqABCD", (Fraction(1, 10), Fraction(9, 10)))


def test_where_a_statement_fails_is_exact_and_not_found_in_a_corner_where_it_holds():
    """In the corner where all are 1/10 both sides are the same."""
    statement = "p*q + A*B - C*D == p*q + A*B - C*D + (q - p)*(A - C)/100"
    point = falsified(Open("", statement, SIX))
    assert not holds_at(statement, point)[0]
    assert abs((point["q"] - point["p"]) * (point["A"] - point["C"])) == Fraction(16, 25)


def test_a_gap_that_is_rounding_alone_is_no_point_of_failure():
    tenth = Fraction(1, 10)
    assert float(tenth) + 2 / 10 != 3 / 10
    with pytest.raises(Unsaid, match="no point was found"):
        falsified(Open("", "x + 2/10 == 3/10", {"x": (tenth, tenth)}))


def test_a_file_names_what_it_leaves_out_and_ends_in_its_own_digest():
    own = sheet(
        "paper", [{"id": "a-claim", "parts": [at("1 < 2"), {"kind": "words"}, at("2 < 3")]}]
    )
    text = own.text({("a-claim", 0)})
    assert "Without a-claim, part 1" in text
    assert text.count("Qed.") == text.count("Lemma ") == 1
    assert [place for _, place in own.places(text)] == [("a-claim", 2)]
    assert untouched(text)
    assert not untouched(text.replace("Lt", "Le"))
    assert not untouched("")


def test_the_prelude_has_no_axiom_and_no_gap():
    for name in PRELUDE:
        text = re.sub(r"\(\*.*?\*\)", "", (HOUSE / f"{name}.v").read_text(), flags=re.DOTALL)
        words = "Admitted|admit|Axiom|Axioms|Parameter|Conjecture|Hypothesis|Abort|bypass_check"
        assert re.findall(rf"\b({words})\b", text) == []
        assert not re.search(r"Unset\s+(Guard|Universe|Positivity)", text)


def test_what_the_compiler_says_is_read():
    said = "Axioms:\nsig_forall_dec\n  : forall P, P\nUint63.leb : int -> bool\nA.b_c' : nat\n"
    assert Answer(None, said).axioms == {"sig_forall_dec", "Uint63.leb", "A.b_c'"}
    assert Answer(3, "Error: Timeout!").out_of_time
    assert not Answer(None, "Closed under the global context\n").axioms
