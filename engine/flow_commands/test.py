"""``flow test``: play scenarios on a database of their own and say what came of them."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from engine.scenarios.database import POSTGRES, SQLITE, own_database
from engine.scenarios.document import Scenario, find_files, read_file
from engine.scenarios.errors import NoDatabase, UnreadableScenario
from engine.scenarios.report import as_json, lines, summary
from engine.scenarios.runner import run_all

help = "Play scenarios: each says what a flow is, what the world answers, and what must come of it."

UNREADABLE = 2
"""The exit code for a file that cannot be read, or a database that cannot be had; 1 is for expectations not met."""


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="scenario files, or folders of them")
    parser.add_argument("--json", action="store_true", help="print one JSON object a scenario")
    parser.add_argument(
        "--database",
        default=SQLITE,
        metavar=f"{SQLITE}|{POSTGRES}|URL",
        help="where the scenarios' own database is made: a file, the PostgreSQL that is configured (else one that is "
        "started for the time being), or a PostgreSQL server",
    )


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    try:
        scenarios = read_all(options["paths"])
        with own_database(options["database"]):
            passed, failed = _play(scenarios, stdout, as_objects=options["json"])
    except (UnreadableScenario, NoDatabase) as error:
        raise CommandError(str(error), returncode=UNREADABLE) from error
    if failed:
        sys.exit(1)


def read_all(paths: Sequence[Path]) -> list[Scenario]:
    """Every scenario of these files and folders. Raises ``UnreadableScenario`` with the problems of all of them."""
    scenarios, problems = [], []
    for file in find_files(paths):
        try:
            scenarios += read_file(file)
        except UnreadableScenario as error:
            problems.append(str(error))
    if not scenarios and not problems:
        problems.append(f"There is no scenario in {', '.join(map(str, paths))}.")
    if problems:
        raise UnreadableScenario("\n".join(problems))
    return scenarios


def _play(scenarios: Sequence[Scenario], stdout: OutputWrapper, *, as_objects: bool) -> tuple[int, int]:
    passed = failed = 0
    for result in run_all(iter(scenarios)):
        passed, failed = passed + result.passed, failed + (not result.passed)
        told: Iterator[str] = iter([as_json(result)] if as_objects else lines(result))
        for line in told:
            stdout.write(line)
    if not as_objects:
        stdout.write(summary(passed, failed))
    return passed, failed
