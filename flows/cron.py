"""Cron expressions of waits and schedules: five fields or a preset (reference/flow-format.md, section 5, "Wait").

Pure.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from croniter import CroniterError, croniter

from flows.text import short

PRESETS: Final[Mapping[str, str]] = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 1",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
"""``@weekly`` is Monday; ``@weekly(Friday)`` names another day."""

_WEEKLY: Final = re.compile(r"@weekly\((mon|tue|wed|thu|fri|sat|sun)[a-z]*\)")
_FIELD: Final = re.compile(r"[0-9*/,#?a-z-]+")
_RANDOM: Final = re.compile(r"\b[hr]\b")


def parse_cron(value: Any) -> str:
    """``value`` as five fields. Raises ``ValueError`` with a sentence when it is none or never comes."""
    text = value.strip().lower() if isinstance(value, str) else ""
    weekly = _WEEKLY.fullmatch(text)
    fields = f"0 0 * * {weekly[1]}" if weekly else PRESETS.get(text, text)
    parts = fields.split()
    is_shaped = len(parts) == 5 and all(map(_FIELD.fullmatch, parts)) and not _RANDOM.search(fields)
    if not is_shaped or not croniter.is_valid(fields):
        presets = ", ".join(PRESETS)
        raise ValueError(
            f"{short(value)} is no cron expression. Write five fields such as '0 7 * * 1-5', or {presets}."
        )
    try:
        croniter(fields, datetime(2024, 1, 1, tzinfo=UTC)).get_next(datetime)
    except CroniterError as error:
        raise ValueError(f"{short(value)} names a day that never comes.") from error
    return " ".join(parts)


def parse_timezone(value: Any) -> ZoneInfo:
    """The time zone of that name. Raises ``ValueError`` with a sentence."""
    try:
        return ZoneInfo(value)
    except (ValueError, OSError, LookupError, TypeError) as error:
        raise ValueError(f"{short(value)} is no time zone. Write one such as Europe/Berlin.") from error
