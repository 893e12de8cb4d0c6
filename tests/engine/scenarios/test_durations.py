"""Durations of scenarios."""

from datetime import timedelta

import pytest

from engine.scenarios.durations import words


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (timedelta(hours=24), "1d"),
        (timedelta(minutes=90), "90m"),
        (timedelta(seconds=60), "1m"),
        (timedelta(seconds=1.5), "1500ms"),
        (timedelta(), "0ms"),
        (timedelta(seconds=-5), "-5s"),
    ],
)
def test_equal_spans_are_told_in_equal_words(span, told) -> None:
    assert words(span) == told
