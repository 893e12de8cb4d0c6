"""The filters (reference/expressions.md, section 11). ``default`` is the evaluator's: its arguments can wait."""

from collections.abc import Callable
from typing import Any, TypeAlias

from flows.expressions import methods
from flows.expressions.limits import Evaluation, refuse_too_long
from flows.expressions.texts import interpolated, json_text, utf8_size

Filter: TypeAlias = Callable[[Any, list[Any], Evaluation], Any]


def _method(name: str) -> Filter:
    """The filter that is the method ``name``: null in, null out. A string that it makes has its limit too."""

    def apply(value: Any, arguments: list[Any], run: Evaluation) -> Any:
        if value is None:
            return None
        result = methods.call(name, value, arguments, run)
        if isinstance(result, str):
            refuse_too_long(utf8_size(result))
        return result

    return apply


def _string(value: Any, arguments: list[Any], run: Evaluation) -> str:
    return interpolated(value, run)


def _to_json(value: Any, arguments: list[Any], run: Evaluation) -> str:
    return json_text(value, run)


FILTERS: dict[str, Filter] = {
    "length": _method("length"),
    "count": _method("length"),
    "upper": _method("toUpperCase"),
    "lower": _method("toLowerCase"),
    "trim": _method("trim"),
    "first": _method("first"),
    "last": _method("last"),
    "join": _method("join"),
    "string": _string,
    "tojson": _to_json,
}

MOST_ARGUMENTS = {**dict.fromkeys(FILTERS, 0), "join": 1, "default": 2, "d": 2}
"""Every filter with how many arguments it takes at most; none needs any."""
