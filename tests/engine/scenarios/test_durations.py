"""Durations of scenarios."""

from datetime import timedelta

import pytest

from engine.scenarios.durations import duration, words


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("5s", 5), ("30m", 1800), ("1h", 3600), ("1d", 86400), ("1.5s", 1.5)]
)
def test_a_duration_has_a_number_and_a_unit(text, seconds) -> None:
    assert duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "-5s", "5w", "1h30m"])
def test_anything_else_is_no_duration(text) -> None:
    with pytest.raises(ValueError, match="is no duration"):
        duration(text)


@pytest.mark.parametrize(("one", "other"), [("24h", "1d"), ("60m", "1h"), ("1000ms", "1s"), ("1.5s", "1500ms")])
def test_equal_spans_are_told_in_equal_words(one, other) -> None:
    assert words(duration(one)) == words(duration(other)) == other
