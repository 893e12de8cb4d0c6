"""What holds for every text, value and context."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from flows.expressions import (
    ExpressionError,
    evaluate_text,
    holds,
    is_true,
    parse,
    parse_condition,
    parse_template,
    resolve,
)
from flows.expressions.markers import split
from flows.expressions.texts import WHITE_SPACE
from flows.expressions.vectors import is_same
from tests.flows.expressions.strategies import (
    contexts,
    drawn,
    expressions,
    integers,
    marked,
    scribbles,
    values,
    written,
)


def attempt(call: Callable[..., Any], *arguments: Any) -> Any:
    """What ``call`` gives, or the place and words of its one kind of error."""
    try:
        return call(*arguments)
    except ExpressionError as error:
        return str(error)


def is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(part) for key, part in value.items())
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | str) or (isinstance(value, int) and -(2**63) <= value < 2**63)


@drawn(st.text() | scribbles, contexts)
def test_any_text_gives_a_value_or_the_one_error(text, context):
    attempt(evaluate_text, text, context)
    attempt(holds, text, context)
    attempt(lambda: parse_condition(text).references())


@drawn(expressions, contexts)
def test_an_expression_reads_and_gives_json_or_the_one_error(text, context):
    expression = parse(text)
    try:
        value = expression.evaluate(context)
    except ExpressionError as error:
        assert error.kind == "evaluation"
    else:
        assert is_json(value)


@drawn(expressions, contexts)
def test_evaluating_changes_nothing_and_gives_the_same_again(text, context):
    before = repr(context)
    assert repr(attempt(evaluate_text, text, context)) == repr(attempt(evaluate_text, text, context))
    assert repr(context) == before


@drawn(expressions, contexts)
def test_only_what_is_referenced_is_looked_up(text, context):
    roots = {found.root for found in parse(text).references()}
    known = {name: value for name, value in context.items() if name in roots}
    assert repr(attempt(evaluate_text, text, context)) == repr(attempt(evaluate_text, text, known))


@drawn(expressions, contexts)
def test_all_spellings_of_a_condition_agree(text, context):
    assume("{" not in text and "}" not in text)
    bare, wrapped, dollar = (attempt(holds, form, context) for form in (text, f"{{{{{text}}}}}", f"${{{text}}}"))
    if isinstance(bare, bool):
        assert bare is wrapped is dollar
    else:
        assert isinstance(wrapped, str)
        assert isinstance(dollar, str)


@drawn(values, values)
def test_logic_gives_booleans_and_follows_truth(left, right):
    context = {"l": left, "r": right}
    assert evaluate_text("l && r", context) is (is_true(left) and is_true(right))
    assert evaluate_text("l or r", context) is (is_true(left) or is_true(right))
    assert evaluate_text("not l", context) is evaluate_text("!l", context) is (not is_true(left))


@drawn(values)
def test_a_literal_reads_back(value):
    assert is_same(evaluate_text(written(value), {}), value)


@drawn(values, values)
def test_equality_is_symmetric_and_its_own_opposite(left, right):
    context = {"l": left, "r": right}
    assert evaluate_text("l == l", context) is True
    assert evaluate_text("l == r", context) is evaluate_text("r == l", context)
    assert evaluate_text("l != r", context) is not evaluate_text("l == r", context)
    assert evaluate_text("l in [] || [0].contains(l) == (l in [0])", context) is True


@drawn(values)
def test_json_text_reads_back(value):
    context = {"x": value}
    text = evaluate_text("x | tojson", context)
    assert is_same(json.loads(text), value)
    expected = "" if value is None else value if isinstance(value, str) else text
    assert evaluate_text("x | string", context) == expected
    assert resolve("<${x}>", context) == f"<{expected}>"


@drawn(integers, integers)
def test_integer_arithmetic_is_exact_or_fails(left, right):
    context = {"l": left, "r": right}
    expected = {"+": left + right, "-": left - right, "*": left * right}
    if right:
        quotient = math.trunc(Fraction(left, right))
        expected |= {"/": quotient, "%": left - quotient * right}
    for operator, result in expected.items():
        answer = attempt(evaluate_text, f"l {operator} r", context)
        if is_json(result) and (operator, left, right) != ("%", -(2**63), -1):
            assert is_same(answer, result)
        else:
            assert "does not fit" in answer


@drawn(st.text(max_size=10), st.integers(-3, 20), st.integers(-3, 20))
def test_substring_cuts_bytes(text, start, end):
    data = text.encode()
    first, last = (len(data) if at < 0 else min(at, len(data)) for at in (start, end))
    last = max(first, last)
    try:
        _, expected, _ = data[:first].decode(), data[first:last].decode(), data[last:].decode()
    except UnicodeDecodeError:
        expected = "substring() counts bytes, and an offset lies inside a character (line 1, column 2)"
    assert attempt(evaluate_text, "x.substring(s, e)", {"x": text, "s": start, "e": end}) == expected


def naive_split(text: str) -> list[str]:
    """Section 10 word for word, without a thought for time: what is literal, and what is between the braces."""
    literal, at = "", 0
    parts: list[str] = []
    while at < len(text):
        end = None
        if text.startswith("${", at):
            depth = 0
            for place in range(at + 1, len(text)):
                depth += {"{": 1, "}": -1}.get(text[place], 0)
                if depth == 0:
                    end, inner = place + 1, text[at + 2 : place]
                    break
        elif text.startswith("{{", at) and "}}" in text[at + 2 :]:
            close = text.index("}}", at + 2)
            end, inner = close + 2, text[at + 2 : close]
        if end is None:
            literal, at = literal + text[at], at + 1
        else:
            parts += [literal, inner.strip(WHITE_SPACE)]
            literal, at = "", end
    return [*parts, literal]


@drawn(marked)
def test_markers_are_found_as_the_description_says(text):
    found = split(text)
    parts = [part for pair in zip(found.literals, found.markers, strict=False) for part in (pair[0], pair[1].text)]
    assert [*parts, found.literals[-1]] == naive_split(text)
    assert all(text.startswith(marker.text, marker.at) for marker in found.markers)


@drawn(st.recursive(marked, lambda inner: st.lists(inner) | st.dictionaries(marked, inner), max_leaves=6))
def test_any_template_reads_and_resolves_or_fails_cleanly(value):
    template = parse_template(value)
    before = repr(value)
    result = attempt(template.resolve, {"a": 1, "b": "${a}"})
    template.references()
    assert repr(value) == before
    if template.is_constant:
        assert result is value
    if template.errors:
        assert result == str(template.errors[0])


@drawn(values)
def test_a_value_without_openings_is_constant(value):
    assume("{{" not in repr(value) and "${" not in repr(value))
    template = parse_template(value)
    assert template.is_constant
    assert not template.unbalanced
    assert template.references() == ()


@drawn(marked)
def test_results_are_never_scanned_again(text):
    assert resolve("${x}", {"x": text}) is text
    assert resolve("<{{ x }}>", {"x": text}) == f"<{text}>"
