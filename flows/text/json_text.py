"""JSON in, through the same builder as YAML; JSON out."""

import json
import re
from typing import Any

from flows.text.builder import Builder, Parsed
from flows.text.limits import MAX_DEPTH, DocumentError
from flows.text.scalars import plain

_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[-+.\w]+')


def write_json(value: Any) -> str:
    """``value`` as indented JSON; members keep their order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def document(text: str) -> Parsed:
    """JSON through the same builder, so that the same limits hold and lines are known."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refused_constant)
    except json.JSONDecodeError as error:
        raise DocumentError(f"This is no JSON: {error.msg}.", error.lineno, error.colno, code="syntax") from error
    except RecursionError as error:
        raise DocumentError(f"This is nested more than {MAX_DEPTH} levels deep.", code="too_deep") from error
    builder, line, seen = Builder(), 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        _take_token(builder, token.group(), line, seen - text.rfind("\n", 0, seen))
    return Parsed(builder.value, builder.lines)


def _take_token(builder: Builder, token: str, line: int, column: int) -> None:
    match token[0]:
        case "{":
            builder.begin({}, line, column)
        case "[":
            builder.begin([], line, column)
        case "}" | "]":
            builder.end()
        case '"':
            builder.scalar(json.loads(token), len(token), line, column)
        case _:
            builder.scalar(plain(token, line, column), len(token), line, column)


def _refused_constant(name: str) -> None:
    raise DocumentError(f"{name} is no number that can be kept.", code="not_a_number")
