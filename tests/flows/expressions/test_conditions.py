"""Condition fields, beyond what the vectors say."""

from datetime import date

import pytest

from flows.expressions import ExpressionError, holds, parse_condition


@pytest.mark.parametrize("wrapped", ["input.ok", "{{ input.ok }}", "${input.ok}", "\u00a0 {{input.ok}}\n"])
def test_a_condition_is_bare_or_wrapped_in_one_marker(wrapped):
    assert holds(wrapped, {"input": {"ok": 1}}) is True
    assert holds(wrapped, {"input": {}}) is False


@pytest.mark.parametrize(("field", "expected"), [(True, True), (False, False), (None, False), (1, True), (0, False)])
def test_a_plain_value_is_taken_as_it_is(field, expected):
    condition = parse_condition(field)
    assert condition.holds({}) is expected
    assert condition.references() == ()


@pytest.mark.parametrize("field", [[], {"a": 1}, date(2030, 1, 7), "", "  ", "{{ }}", "${a} && ${b}", "{{ a }} }}"])
def test_what_is_no_condition_is_refused_when_read(field):
    with pytest.raises(ExpressionError) as caught:
        parse_condition(field)
    assert caught.value.kind == "parse"


def test_a_condition_that_fails_is_not_false():
    condition = parse_condition("nosuch > 1")
    with pytest.raises(ExpressionError) as caught:
        condition.holds({})
    assert caught.value.kind == "evaluation"


def test_a_wrapped_condition_is_looked_through():
    [found] = parse_condition("{{ steps.check.ok }}").references()
    assert (found.root, found.column) == ("steps", 4)


def test_the_same_text_is_read_once():
    assert parse_condition("a == 1") is parse_condition("a == 1")
