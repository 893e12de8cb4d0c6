from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone, translation

from designer import words
from engine.states import AttemptResult, CompensationState, Outcome, Status

NOW = datetime(2030, 1, 7, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "just now"),
        (5, "in a moment"),
        (-45, "1 minute ago"),
        (-125, "2 minutes ago"),
        (3 * 3600, "in 3 hours"),
        (-86_400, "1 day ago"),
        (-6 * 86_400, "6 days ago"),
        (-7 * 86_400, "31 Dec 2029"),
        (40 * 86_400, "16 Feb"),
    ],
)
def test_moments_are_relative_within_a_week(seconds, expected):
    assert words.relative(NOW + timedelta(seconds=seconds), NOW) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 ms"),
        (0.04, "40 ms"),
        (3.21, "3.2 s"),
        (9.97, "10 s"),
        (59.7, "1 min"),
        (250, "4 min 10 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (86_400, "1 day"),
        (172_800, "2 days"),
        (190_000, "2 days 4 h"),
        (-90, "−1 min 30 s"),
    ],
)
def test_lengths_of_time_have_two_units_at_most(seconds, expected):
    assert words.duration(seconds) == expected
    assert words.duration(timedelta(seconds=seconds)) == expected


def test_german_has_its_own_words():
    with translation.override("de"):
        assert words.duration(3.2) == "3,2 s"
        assert words.relative(NOW - timedelta(hours=3), NOW) == "vor 3 Stunden"
        assert str(words.look_of("rolled_back").word) == "Zurückgenommen"


def test_the_exact_moment_is_in_the_readers_zone():
    assert words.exact(NOW) == "Mon 7 Jan 2030, 12:00 UTC"
    with timezone.override("Asia/Tokyo"):
        assert words.exact(NOW) == "Mon 7 Jan 2030, 21:00 (your time)"


def test_every_state_the_engine_knows_has_a_look():
    known = {*Status, *Outcome, *AttemptResult, *CompensationState}
    assert {str(state) for state in known} <= set(words.STATUSES)


def test_no_two_states_of_a_run_have_the_same_shape():
    states = {*map(str, Status), "skipped", "not_run", "test"}
    looks = [words.STATUSES[state] for state in states]
    assert len({(look.icon, look.filled) for look in looks}) == len(states)


def test_an_unknown_status_is_shown_by_its_name():
    assert words.look_of("half_done").word == "Half done"
