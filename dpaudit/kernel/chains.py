"""Chains of derivatives and inductions as statements and tactics of Coq."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpaudit.kernel.exact import Unsaid
from dpaudit.kernel.reals import exactly, number, real, related, sides
from dpaudit.recheck.numbers import tree, value

Part = Mapping[str, Any]


def chained(part: Part, close: str) -> tuple[str, str]:
    """Each link is not negative, from the last one to the first: it is not at the start, and it
    grows because the next one is its derivative times a positive factor."""
    variable, links = part["variable"], part["links"]
    x = f"{variable}_"
    names = {variable: x}
    start, end = number(part["start"]), None if part["end"] is None else number(part["end"])
    inside = f"{start} <= {x}" + (f" <= {end}" if end else "")
    links_said = [real(link["expression"], {}, names) for link in links]
    factors = ["", *(real(link["factor"], {}, names) for link in links[1:])]
    strict = sides(part["statement"])[1] in ("<", ">")
    unit = f"({x} / {_exponents(part)})"
    last = len(links) - 1
    steps = [f"assert (H{last} : forall {x}, {inside} -> {links_said[last]} >= 0) by ({close})"]
    for i in reversed(range(last)):
        here = f"(fun {x} => {links_said[i]})"
        slope = f"{links_said[i + 1]} / {factors[i + 1]}"
        grow = f"grow {here} (fun {x} => {slope}) {start}"
        if end:
            grow = f"grow_to {here} (fun {x} => {slope}) {start} {end}"
        sign = ">" if strict and i == 0 else ">="
        first = real(links[i]["expression"], {variable: Fraction(part["start"])}, {})
        steps += [
            f"assert (D{i} : forall {x}, {inside} -> is_derive {here} {x} ({slope})) by "
            f"(intros {x} Hx; auto_derive; [side | derived {unit}])",
            f"assert (P{i} : forall {x}, {inside} -> 0 <= {slope}) by (intros {x} Hx; "
            f"apply Rdiv_le_0_compat; [apply Rge_le, (H{i + 1} {x}); lra | sign])",
            f"assert (S{i} : {first} {sign} 0) by at_start",
            f"assert (H{i} : forall {x}, {inside} -> {links_said[i]} {sign} 0) by "
            f"(intros {x} Hx; generalize ({grow} D{i} P{i} {x} Hx); cbv beta; lra)",
        ]
    steps.append(f"intros {x} Hx; generalize (H0 {x} Hx); lra")
    stated = f"forall {x} : R, {inside} -> {related(part['statement'], {}, names)}"
    return stated, ";\n  ".join(steps)


def _exponents(part: Part) -> int:
    """The least common denominator of the exponents' coefficients: all are whole multiples of the
    variable by it."""
    found, variable = 1, part["variable"]
    texts = [link[key] for link in part["links"] for key in ("expression", "factor") if key in link]
    for text in texts:
        for node in ast.walk(tree(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exp":
                ends = [exactly(node.args[0], {variable: Fraction(n)}) for n in (1, 2)]
                if ends[0] is not None and ends[1] is not None:
                    found = math.lcm(found, (ends[1] - ends[0]).denominator)
    return found


def induced(part: Part) -> tuple[str, str]:
    """A sum up to n, by induction on how many terms there are."""
    left, sign, right = sides(part["statement"])
    if not isinstance(left, ast.Call) or getattr(left.func, "id", "") != "sum":
        raise Unsaid("no sum")
    term, variable, low, last = left.args
    assert isinstance(variable, ast.Name)
    assert isinstance(last, ast.Name)
    start = int(value(low, {}))
    if start != part["start"]:
        raise Unsaid("the induction starts elsewhere than the sum")
    said = f"(fun k_ => {real(term, {}, {variable.id: 'k_'})})"
    bound = real(right, {}, {last.id: f"({start} + INR n)"})
    stated = f"forall n : nat, sigma {said} {start} n {sign} {bound}"
    step = f"sigma {said} {start} n + {said} ({start} + INR (S n))"
    proof = (
        f"induction n as [|n IH]; [simpl; by_algebra | change (sigma {said} {start} (S n)) with "
        f"({step}); cbv beta; rewrite ?S_INR in *; "
        "(rewrite IH || (eapply Rle_trans; [apply Rplus_le_compat_r, IH|])); by_algebra]"
    )
    return stated, proof
