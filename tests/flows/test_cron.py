import pytest

from flows.cron import parse_cron, parse_timezone
from flows.durations import InvalidDuration, parse_moment


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("*/15 * * * *", "*/15 * * * *"),
        (" 0  7 * * 1-5 ", "0 7 * * 1-5"),
        ("0 0 1 JAN,mar *", "0 0 1 jan,mar *"),
        ("@Daily", "0 0 * * *"),
        ("@weekly", "0 0 * * 1"),
        ("@weekly(Friday)", "0 0 * * fri"),
    ],
)
def test_a_cron_expression_becomes_five_fields(text, fields):
    assert parse_cron(text) == fields


@pytest.mark.parametrize(
    "text", ["* * * * * *", "r r r r r", "h h * * *", "61 * * * *", "@every 5m", "", None, 5, "*/0 * * * *"]
)
def test_what_is_no_cron_expression_is_refused(text):
    with pytest.raises(ValueError, match="is no cron expression"):
        parse_cron(text)


def test_a_day_that_never_comes_is_refused():
    with pytest.raises(ValueError, match="never comes"):
        parse_cron("0 0 31 2 *")


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "/etc/passwd", None, 5, "a\0", "x" * 5_000])
def test_an_unknown_time_zone_is_refused(name):
    with pytest.raises(ValueError, match="is no time zone"):
        parse_timezone(name)


@pytest.mark.parametrize("text", ["2030-01-07", "2030-01-07T09:00:00", "tomorrow", "", None, 5])
def test_a_moment_needs_its_offset(text):
    with pytest.raises(InvalidDuration):
        parse_moment(text)
