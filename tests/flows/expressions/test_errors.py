"""What an error says: where, what, what to do, and nothing that a value holds."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from flows.expressions import ExpressionError, evaluate_text, parse, parse_condition, resolve

SECRET = "hunter2"
CONTEXT = {"token": SECRET, "vault": {"pin": SECRET, "list": [SECRET]}, "none": None}


def failing(call: Callable[..., Any], *arguments: Any) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("1 +", 1, 4),
        ("a &&\n  b c", 2, 5),
        ("(1", 1, 1),
        ("'open", 1, 1),
        ("a .b", 1, 3),
        ("x | nothing", 1, 5),
        ("", 1, 1),
    ],
)
def test_a_parse_error_knows_its_place(text, line, column):
    error = failing(parse, text)
    assert (error.kind, error.line, error.column) == ("parse", line, column)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("1 +\n nosuch", 2, 2), ("1 / 0", 1, 3), ("1 +\n-none", 2, 1), ("token.nosuch()", 1, 6), ("vault\n['x']", 2, 1)],
)
def test_an_evaluation_error_knows_its_place(text, line, column):
    error = failing(evaluate_text, text, CONTEXT)
    assert (error.kind, error.line, error.column) == ("evaluation", line, column)


def test_an_error_in_a_template_leads_to_its_string_and_place_in_it():
    error = failing(resolve, {"mail": ["ok", "Dear\n ${ nosuch },"]}, {})
    assert (error.within, error.line, error.column) == (("mail", 1), 2, 5)
    assert str(error) == "there is no 'nosuch' here (mail.1, line 2, column 5)"


def test_an_error_in_a_wrapped_condition_counts_from_the_start_of_the_field():
    error = failing(parse_condition("{{ 1 > none }}").holds, CONTEXT)
    assert (error.line, error.column) == (1, 6)


@pytest.mark.parametrize(
    "text",
    [
        "token + 1",
        "token < 1",
        "-token",
        "token[0]",
        "vault[token]",
        "vault.list['x']",
        "vault.list.join() | tojson * 2",
        "token.substring(token)",
        "token.nosuch(token)",
        "token.contains(1)",
        "1 in token",
        "'hunter2' 'hunter2'",
        "['hunter2' + 1]",
        "{'hunter2' 1}",
    ],
)
def test_a_message_never_shows_what_a_value_holds(text):
    error = failing(evaluate_text, text, CONTEXT)
    assert SECRET not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("input.total = 5", "'=='"),
        ("len(x)", r"write value\.len\(\.\.\.\)"),
        ("a RELATES b VIA 'K'", "graph relations are not supported"),
        ("RELATES", "graph relations are not supported"),
        ("1 < 2 < 3", "join two of them with 'and'"),
        ("none + 1", r"\| default"),
        ("vault['x']", r"\| default"),
        ("x | sort", "there are length, count, upper"),
        ("[input.x]", "hold nothing else"),
        ("'a' | upper.length()", "put it in parentheses"),
        ("12kg", "a number runs into a name"),
    ],
)
def test_a_message_says_what_to_do(text, advice):
    with pytest.raises(ExpressionError, match=advice):
        evaluate_text(text, CONTEXT)


def test_the_same_error_is_raised_again_each_time():
    assert failing(parse, "1 +") is not failing(parse, "1 +")


def test_an_error_survives_pickling():
    error = failing(resolve, ["${1 / 0}"], {})
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.kind, copy.within) == (str(error), "evaluation", (0,))
