"""How an expected value meets a seen one (the paragraph "How values match" of the scenario format)."""

import pytest

from engine.scenarios.matching import broken_patterns, matches, mismatches


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 2, "d": 3}]}}),
        ({"a": None}, {}),
        ({"a": None}, {"a": None}),
        (1, 1.0),
        ("~/^or.er/", "order 7"),
        ("~/desks\\/free/", "the undo /lib/desks/free failed"),
        ([], []),
        ({}, {"a": 1}),
    ],
)
def test_what_is_written_is_found(expected, seen) -> None:
    assert matches(expected, seen)


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": {}}, {"a": None}),
        ({"a": 1}, [1]),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        (True, 1),
        (1, True),
        (0, False),
        ("1", 1),
        (None, 0),
        (None, ""),
        ("~/x/", None),
        ("~/x/", ["x"]),
        ("~/^order$/", "an order"),
    ],
)
def test_what_differs_is_no_match(expected, seen) -> None:
    assert not matches(expected, seen)


def test_every_difference_is_told_with_the_way_to_it() -> None:
    found = mismatches({"a": [1, {"b": 2}], "c": 3}, {"a": [1, {"b": 5}]}, "steps")
    assert [str(each) for each in found] == ["steps.a[1].b: expected 2, saw 5", "steps.c: expected 3, saw null"]


def test_a_broken_regular_expression_is_found_where_it_stands() -> None:
    assert [at for at, _ in broken_patterns({"error": {"message": ["~/(/", "~/ok/"]}}, ())] == [("error", "message", 0)]
