"""Values, operators and methods where the vectors do not look."""

import math
from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Any, NoReturn

import pytest

from flows.expressions import ExpressionError, evaluate_text, is_true, resolve
from flows.expressions.vectors import is_same


class Level(IntEnum):
    HIGH = 3


class Status(StrEnum):
    DONE = "done"


class Lazy(Mapping[str, Any]):
    """A context that makes its values when asked, and keeps count."""

    def __init__(self, **known: Any) -> None:
        self.known = known
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> Any:
        self.asked.append(name)
        return self.known[name]

    def __iter__(self) -> NoReturn:
        raise AssertionError("nobody lists a context")

    def __len__(self) -> NoReturn:
        raise AssertionError("nobody counts a context")


def test_a_context_is_asked_only_for_what_is_evaluated():
    context = Lazy(a=0, b=1, c={"d": 2})
    assert evaluate_text("a && b || c.d == 2 || b", context) is True
    assert context.asked == ["a", "c"]


def test_an_array_in_the_expression_is_new_each_time():
    first = evaluate_text("[1, {a: []}]", {})
    first[1]["a"].append("spoiled")
    assert evaluate_text("[1, {a: []}]", {}) == [1, {"a": []}]


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400, -(10**400)])
def test_an_integer_beyond_64_bits_comes_in_as_a_float(value):
    expected = float(value) if abs(value) < 10**300 else None
    context = {"x": value, "o": {"x": value}, "a": [value]}
    for text in ("x", "o.x", "o['x']", "a[0]", "a.first()", "a.last()", "(o).x", "o.x | default(0)"):
        assert is_same(evaluate_text(text, context), expected)


def test_integers_beyond_64_bits_are_written_and_compared_as_floats():
    context = {"a": [2**64], "b": [2**64 + 1], "c": [10**400]}
    assert evaluate_text("a == b", context) is True
    assert evaluate_text("c == c", context) is False
    assert evaluate_text("a | tojson", context) == "[1.8446744073709552e19]"
    assert evaluate_text("a.join()", context) == "18446744073709552000"
    assert evaluate_text("c | string", context) == "[null]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e999 == 1e999", False),
        ("[1e999]", [None]),
        ("{a: [1, -1e999]}.a", [1, None]),
        ("[1e999][0] > 5", True),
        ("1e999 - 1e999 <= 0", True),
        ("1e999 - 1e999 < 0", False),
        ("1e999 % 2", None),
        ("[1e999].join()", "inf"),
        ("1e999 | tojson", "null"),
        ("1e999 | string", ""),
        ("-9223372036854775808 == -9223372036854775807 - 1", True),
        ("[-9223372036854775808]", [-(2**63)]),
        ("-9223372036854775808.0", -(2.0**63)),
        ("-0.0", -0.0),
        ("4e+2", 400.0),
        ("1.e5", None),
    ],
)
def test_numbers_at_the_edges(text, expected):
    assert is_same(evaluate_text(text, {}), expected)


@pytest.mark.parametrize(
    "text", ["9223372036854775808", "- 9223372036854775808", "[- 5]", "[--5]", "-9223372036854775808 % -1"]
)
def test_numbers_over_the_edge(text):
    with pytest.raises(ExpressionError):
        evaluate_text(text, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'/a'.parent(-1)", ""),
        ("'//'.parent(2)", "/"),
        ("'/a/b/'.ancestor(2)", "/a/b"),
        ("'a//b///c/'.depth()", 3),
        ("'///'.depth()", 0),
        ("'/a/b'.descendantOf('/a/')", True),
        ("'/a/b/'.childOf('/a')", False),
        ("'Zürich'.substring(1, 3)", "ü"),
        ("'Zürich'.substring(-1, 3)", ""),
        ("null | join(nosuch)", None),
        ("[1, 2] | join | length", 2),
        ("7 | default(1, nosuch)", 7),
        ("{if: 1, not: 2}.not", 2),
        ("a . b", ExpressionError),
        ("'Zürich'.substring(2, 1)", ExpressionError),
        ("1and 2", ExpressionError),
    ],
)
def test_corners_of_the_language(text, expected):
    if expected is ExpressionError:
        with pytest.raises(ExpressionError):
            evaluate_text(text, {})
    else:
        assert is_same(evaluate_text(text, {}), expected)


def test_subclasses_of_json_types_count_as_what_they_derive_from():
    context = {"level": Level.HIGH, "status": Status.DONE}
    assert evaluate_text("level + 1 == 4 and level == 3.0", context) is True
    assert evaluate_text("status + '!' == 'done!' and status == 'done'", context) is True
    assert resolve("${status}/${level}", context) == "done/3"


@pytest.mark.parametrize("text", ["x + 1", "x < 1", "x.trim()", "x[0]", "x | tojson", "[1].join(x) + x", "1 in x"])
def test_what_is_no_json_fits_nothing_and_fails_cleanly(text):
    with pytest.raises(ExpressionError):
        evaluate_text(text, {"x": object()})


def test_what_is_no_json_is_equal_to_nothing():
    context = {"x": (1,)}
    assert evaluate_text("x == [1] || x == null || x == x || [1] == x || x.a == 1", context) is False


@pytest.mark.parametrize("value", [None, False, 0, 0.0, -0.0, "", [], {}])
def test_falsy_values(value):
    assert not is_true(value)


@pytest.mark.parametrize("value", [True, -1, 0.1, math.nan, "false", "0", " ", [0], {"a": None}])
def test_truthy_values(value):
    assert is_true(value)


def test_a_lone_surrogate_is_text_like_any_other():
    context = {"s": "a\ud800b"}
    assert evaluate_text("s.length()", context) == 5
    assert evaluate_text("s.substring(1, 4)", context) == "\ud800"
    assert resolve("<${s}>", context) == "<a\ud800b>"
