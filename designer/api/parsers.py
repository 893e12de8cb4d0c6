"""Request bodies: JSON alone, read strictly enough that nothing in it can hurt later."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from designer.api.errors import TooLarge


class StrictJSONParser(BaseParser):
    """JSON in UTF-8 of a bounded size.

    Refused with a clear error: broken JSON, ``NaN`` and numbers beyond a double, nesting that no stack carries, and
    half of a surrogate pair, which no database could store.
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw: bytes = stream.read(limit + 1)
        if len(raw) > limit:
            raise TooLarge(f"The body is larger than {limit} bytes.")
        try:
            text = raw.decode("utf-8")
            value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
            if "\\u" in text:
                json.dumps(value, ensure_ascii=False).encode("utf-8")
        except RecursionError:
            raise ParseError("The body is nested too deeply.") from None
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON in UTF-8: {_words(error)}.") from None
        return value


def _words(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError | UnicodeEncodeError):
        return error.reason
    return str(error)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number
