"""How an agent is set up: what its key, its tools, its answer's schema and its script may say.

Each check raises Django's ``ValidationError`` with a sentence that says what to do; forms and models use them alike.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from jsonschema import Draft202012Validator

from flows.expressions import ExpressionError, parse_condition, parse_template
from flows.manifest import FUNCTION_PATH
from flows.schemas import schema_problem

ENVIRONMENT: Final = "env:"
SECRET: Final = "secret:"
_VARIABLE = re.compile(r"(?!SULTANA_|DJANGO_)[A-Z][A-Z0-9_]*(_API_KEY|_TOKEN)")
_SECRET_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")

_TEXT = {"type": "string", "minLength": 1}
SCRIPT_SCHEMA: Final[Mapping[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Script of an agent",
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "when": {"type": ["string", "boolean"]},
            "answer": {},
            "fail": {
                "type": "object",
                "properties": {
                    "message": _TEXT,
                    "code": _TEXT,
                    "status": {"type": "integer"},
                    "retry_after": {"type": "number", "minimum": 0},
                },
                "required": ["message"],
                "additionalProperties": False,
            },
            "use": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {"tool": {"type": "string", "pattern": FUNCTION_PATH}, "arguments": {}},
                    "required": ["tool"],
                    "additionalProperties": False,
                },
            },
        },
        "oneOf": [{"required": ["answer"]}, {"required": ["fail"]}, {"required": ["use"]}],
        "additionalProperties": False,
    },
}
"""The rules of the scripted provider: the first whose ``when`` is true (or absent) answers, fails or uses tools."""


def check_key(reference: str) -> None:
    """A key is named, never written down: ``env:OPENAI_API_KEY`` or ``secret:openai``."""
    if reference.startswith(ENVIRONMENT) and _VARIABLE.fullmatch(reference.removeprefix(ENVIRONMENT)):
        return
    if reference.startswith(SECRET) and _SECRET_NAME.fullmatch(reference.removeprefix(SECRET)):
        return
    raise ValidationError(
        _(
            "Name the key instead of writing it here: env: and a variable of the workers' environment that ends in "
            "_API_KEY or _TOKEN, or secret: and the name of a secret."
        )
    )


def check_secret_name(name: str) -> None:
    """A secret's name, as ``secret:`` references use it."""
    if not _SECRET_NAME.fullmatch(name):
        raise ValidationError(_("Use small letters, digits, - and _, beginning with a letter."))


def check_address(address: str) -> None:
    """Where a server is: ``http`` or ``https``, a host, a path. No user name, and nothing behind the path."""
    try:
        parts = urlsplit(address)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_fine = False
    if not is_fine or parts.username or parts.password or parts.query or parts.fragment:
        raise ValidationError(_("This is no address such as https://llm.example.org/v1."))


def check_tools(paths: Any) -> None:
    """The functions an agent may call by itself, each once."""
    is_list = isinstance(paths, list) and all(isinstance(each, str) for each in paths)
    if not is_list or not all(re.fullmatch(FUNCTION_PATH, each) for each in paths):
        raise ValidationError(_('Tools are a list of functions\' paths, such as ["/service/history"].'))
    if len(set(paths)) != len(paths):
        raise ValidationError(_("A tool is listed twice."))


def check_output_schema(schema: Any) -> None:
    """The shape of an agent's answers where a step asks for none."""
    problem = schema_problem(schema)
    if problem is not None:
        raise ValidationError(_("This is no JSON Schema: %(problem)s"), params={"problem": problem})


def check_script(rules: Any) -> None:
    """The rules of a scripted agent."""
    problems = list(_script_problems(rules))
    if problems:
        raise ValidationError(problems)


def _script_problems(rules: Any) -> Iterator[str]:
    for error in Draft202012Validator(SCRIPT_SCHEMA).iter_errors(rules):
        yield f"{_place(error.absolute_path)}: {error.message}"
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, Mapping):
            yield from (f"rule {number + 1}: {problem}" for problem in _expression_problems(rule))


def _expression_problems(rule: Mapping[str, Any]) -> Iterator[str]:
    try:
        parse_condition(rule.get("when", True))
    except ExpressionError as error:
        yield f"when: {error}"
    for name in ("answer", "use"):
        yield from (f"{name}: {each}" for each in parse_template(rule.get(name)).errors)


def _place(path: Any) -> str:
    number, *rest = [*path] or ["script"]
    return ".".join([f"rule {number + 1}" if isinstance(number, int) else "script", *map(str, rest)])
