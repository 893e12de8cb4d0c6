"""docs/doctor-codes.md, made from the doctor's own table: ``python -m flows.doctor.page > docs/doctor-codes.md``."""

from typing import Final

from flows.doctor.codes import CODES, Severity

_INTRODUCTION: Final = """# What the doctor finds

The doctor checks a flow in the editor, on import, before publishing and before a test run. For files there is
`python manage.py flow doctor PATH`: exit code 1 for errors, 2 for files that cannot be read; `--strict`, `--json`. Each finding
names the step and the field, and its message says what to do. A code stays the same from release to release.

Made from `flows/doctor/codes.py` by `python -m flows.doctor.page`.
"""
_PARTS: Final[dict[Severity, str]] = {
    "error": "An error keeps a flow from being published and started.",
    "warning": "A flow with warnings runs, but something in it will hardly do what it says. `--strict` fails on them.",
    "suggestion": "A suggestion is about something that is allowed and rarely meant.",
}


def page() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *map(_part, _PARTS)])


def _part(severity: Severity) -> str:
    found = sorted((each for each in CODES.values() if each.severity == severity), key=lambda each: each.code)
    rows = [f"| `{each.code}` | {each.help.replace('|', '&#124;')} |" for each in found]
    title = f"{severity.capitalize()}s"
    return "\n".join([f"## {title}", "", _PARTS[severity], "", "| code | when |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    print(page(), end="")
