"""Drawn texts, values and contexts of the language."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = ["input", "steps", "a", "b", "_x", "nosuch"]
OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", " and ", " or ", " in ", " not in "]
METHODS = [
    "length",
    "isEmpty",
    "contains",
    "startsWith",
    "toUpperCase",
    "trim",
    "substring",
    "first",
    "last",
    "indexOf",
]
METHODS += ["join", "parent", "ancestor", "depth", "ancestorOf", "descendantOf", "childOf", "isNotEmpty", "keys"]
FILTERS = ["default", "d", "length", "count", "upper", "lower", "trim", "first", "last", "join", "string", "tojson"]
FRAGMENTS = [*NAMES, *FILTERS, *OPERATORS, *"!=&|()[]{}.,:'\"\\$?~# \n\t", "not", "true", "null", "RELATES"]
FRAGMENTS += [".a", ".trim()", "'x'", "0", "17", "3.5", "1e9", "9223372036854775808"]
AWKWARD = ["a", "b", "/", "é", "日", "😀", "'", '"', "\\", "{", "}", "\n", "\x00", " ", "\ud800"]
BRACES = ["${", "{{", "}}", "}", "{", "$", " ", "a", "'", "\n", "${a}", "{{ b }}"]


def drawn(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """``given``, unhurried: on a shared machine a slow draw says nothing about the code."""
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    return lambda test: unhurried(given(*strategies)(test))


texts = st.text(st.sampled_from(AWKWARD), max_size=8)
integers = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)])
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | integers | floats | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | st.sampled_from("ab"), inner, max_size=4),
    max_leaves=8,
)
"""Any JSON value, texts that are awkward to write included."""

contexts = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES[:-1], values))
scribbles = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
"""Texts that look like expressions; few of them are."""

marked = st.lists(st.sampled_from(BRACES), max_size=20).map("".join)
"""Strings full of braces."""


def written(value: Any) -> str:
    """``value``, any JSON value, as a literal of the language."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)}: {written(part)}" for key, part in value.items()) + "}"
    return "null" if value is None else repr(value).lower()


def _shaped(pattern: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda drawn_parts: pattern.format(*drawn_parts))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    arguments = st.lists(inner, max_size=2).map(", ".join)
    return st.one_of(
        _shaped("({}){}({})", inner, st.sampled_from(OPERATORS), inner),
        _shaped("{}({})", st.sampled_from(["!", "-", "not "]), inner),
        _shaped("({}).{}({})", inner, st.sampled_from(METHODS), arguments),
        _shaped("({}).{}", inner, st.sampled_from(NAMES)),
        _shaped("({})[{}]", inner, inner),
        _shaped("({}) | {}", inner, st.sampled_from(FILTERS)),
        _shaped("({}) | default({})", inner, inner),
    )


expressions = st.recursive(st.sampled_from(NAMES) | values.map(written), _grown, max_leaves=8).map("({})".format)
"""Expressions that are in the language, whatever comes of them."""
