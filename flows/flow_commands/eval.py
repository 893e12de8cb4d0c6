"""``flow eval``: try an expression or a template, or a file of vectors."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from flows.doctor.values import is_template
from flows.expressions import ExpressionError, evaluate_text, resolve
from flows.expressions.vectors import run_vectors

help = "Evaluate an expression or a template against a context, or a file of vectors."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "expression", nargs="?", metavar="EXPR", help="an expression; with ${} or {{}} in it, a template"
    )
    parser.add_argument("--context", default="{}", metavar="JSON", help="what can be read; an object")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="evaluate every vector of the file instead")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    if (options["vectors"] is None) == (options["expression"] is None):
        raise CommandError("Give an expression, or a file with --vectors.")
    if options["vectors"] is not None:
        _vectors(options["vectors"], stdout)
    else:
        _one(options["expression"], _context(options["context"]), stdout)


def _one(text: str, context: dict[str, Any], stdout: OutputWrapper) -> None:
    try:
        value = resolve(text, context) if is_template(text) else evaluate_text(text, context)
    except ExpressionError as error:
        raise CommandError(str(error)) from error
    stdout.write(json.dumps(value, ensure_ascii=False))


def _context(text: str) -> dict[str, Any]:
    try:
        context = json.loads(text)
    except ValueError as error:
        raise CommandError(f"--context is no JSON: {error}") from error
    if not isinstance(context, dict):
        raise CommandError('--context is an object, such as {"input": {}}.')
    return context


def _vectors(file: Path, stdout: OutputWrapper) -> None:
    try:
        report = run_vectors(file)
    except (OSError, ValueError) as error:
        raise CommandError(str(error), returncode=2) from error
    for each in report.failed:
        stdout.write(each)
    stdout.write(f"{report.passed} passed, {len(report.failed)} failed")
    if report.failed:
        sys.exit(1)
