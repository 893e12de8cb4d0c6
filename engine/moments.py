"""Moments as the text that records, documents and events hold."""

from datetime import UTC, datetime


def text_of(moment: datetime) -> str:
    """RFC 3339, in UTC: ``2026-07-10T12:05:00Z``. One without a zone is read as UTC (RFC 9110 knows no other)."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")
