"""The methods (reference/expressions.md, section 7). A receiver of null never comes here: any method of it is null."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from flows.expressions import paths
from flows.expressions.errors import Fault
from flows.expressions.limits import Evaluation, refuse_too_long
from flows.expressions.operators import contains
from flows.expressions.texts import WHITE_SPACE, decoded, element_text, encoded, utf8_size
from flows.expressions.values import CONTAINERS, as_float, incoming, is_number, position_of, type_name

Arguments: TypeAlias = list[Any]


@dataclass(frozen=True, slots=True)
class Method:
    """``run(receiver, arguments, evaluation)``; ``least`` and ``most`` bound the count, ``most`` None takes any."""

    run: Callable[[Any, Arguments, Evaluation], Any]
    least: int = 0
    most: int | None = 0


def call(name: str, receiver: Any, arguments: Arguments, run: Evaluation) -> Any:
    """The result of ``receiver.name(arguments)``.

    Raises :class:`Fault` for an unknown method, a wrong count, receiver or argument.
    """
    method = METHODS.get(name)
    if method is None:
        raise Fault(f"there is no method {name}()")
    if len(arguments) < method.least or (method.most is not None and len(arguments) > method.most):
        raise Fault(f"{name}() does not take {len(arguments)} arguments")
    return method.run(receiver, arguments, run)


def length(value: Any, arguments: Arguments, run: Evaluation) -> int:
    """Bytes of a string in UTF-8, elements of an array, members of an object."""
    if isinstance(value, CONTAINERS):
        return len(value)
    size = utf8_size(_string(value, "length", "a string, array or object"))
    if size != len(value):  # counting bytes of ASCII costs nothing
        run.search(size)
    return size


def _is_empty(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    return isinstance(value, (str, *CONTAINERS)) and not value


def _is_not_empty(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    return not _is_empty(value, arguments, run)


def _contains(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    found = contains(value, arguments[0], run)
    if found is None:
        kinds = f"{type_name(value)} and {type_name(arguments[0])}"
        raise Fault(f"contains() works on an array, or on a string with a string, not on {kinds}")
    return found


def _starts_with(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    text, start = _two_strings(value, arguments, run, "startsWith")
    return text.startswith(start)


def _ends_with(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    text, end = _two_strings(value, arguments, run, "endsWith")
    return text.endswith(end)


def _to_lower_case(value: Any, arguments: Arguments, run: Evaluation) -> str:
    return _searched(value, run, "toLowerCase").lower()


def _to_upper_case(value: Any, arguments: Arguments, run: Evaluation) -> str:
    return _searched(value, run, "toUpperCase").upper()


def _trim(value: Any, arguments: Arguments, run: Evaluation) -> str:
    return _searched(value, run, "trim").strip(WHITE_SPACE)


def _substring(value: Any, arguments: Arguments, run: Evaluation) -> str:
    """Byte offsets, clamped. A negative one lies past the end, as a negative number read as an unsigned one does."""
    text = _string(value, "substring")
    start, *ends = [whole(argument, "substring") for argument in arguments]
    size = utf8_size(text)
    begin = _offset(start, size)
    end = max(begin, _offset(ends[0], size) if ends else size)
    if text.isascii():
        run.search(end - begin)
        return text[begin:end]
    run.search(size)
    data = encoded(text)
    if _is_inside_character(data, begin) or _is_inside_character(data, end):
        raise Fault("substring() counts bytes, and an offset lies inside a character")
    return decoded(data[begin:end])


def _is_inside_character(data: bytes, at: int) -> bool:
    return at < len(data) and data[at] & 0b1100_0000 == 0b1000_0000


def _offset(number: int, size: int) -> int:
    return size if number < 0 else min(number, size)


def _first(value: Any, arguments: Arguments, run: Evaluation) -> Any:
    elements = _array(value, "first")
    return incoming(elements[0]) if elements else None


def _last(value: Any, arguments: Arguments, run: Evaluation) -> Any:
    elements = _array(value, "last")
    return incoming(elements[-1]) if elements else None


def _index_of(value: Any, arguments: Arguments, run: Evaluation) -> int:
    return position_of(arguments[0], _array(value, "indexOf"), run)


def _join(value: Any, arguments: Arguments, run: Evaluation) -> str:
    """The elements as text. The size is known before the string is made; a separator that is no string counts as ''."""
    elements = _array(value, "join")
    separator = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    between = utf8_size(separator)
    run.spend(len(elements))
    texts: list[str] = []
    size = -between
    for element in elements:
        texts.append(element_text(element))
        size += between + utf8_size(texts[-1])
        refuse_too_long(size)
    run.make(size)
    return separator.join(texts)


def whole(value: Any, method: str) -> int:
    """``value`` as an integer argument; a float without fraction is one. Raises :class:`Fault` otherwise."""
    if is_number(value) and (isinstance(value, int) or as_float(value).is_integer()):
        return int(value)
    raise Fault(f"{method}() takes an integer, not {type_name(value)}")


def _string(value: Any, method: str, receiver: str = "a string") -> str:
    if not isinstance(value, str):
        raise Fault(f"{method}() works on {receiver}, not on {type_name(value)}")
    return value


def _searched(value: Any, run: Evaluation, method: str) -> str:
    text = _string(value, method)
    run.search(utf8_size(text))
    return text


def _two_strings(value: Any, arguments: Arguments, run: Evaluation, method: str) -> tuple[str, str]:
    text, other = _string(value, method), arguments[0]
    if not isinstance(other, str):
        raise Fault(f"{method}() takes a string, not {type_name(other)}")
    run.search(min(len(text), len(other)))
    return text, other


def _array(value: Any, method: str) -> list[Any]:
    if not isinstance(value, list):
        raise Fault(f"{method}() works on an array, not on {type_name(value)}")
    return value


def _parent(value: Any, arguments: Arguments, run: Evaluation) -> str:
    levels = whole(arguments[0], "parent") if arguments else 1
    return paths.parent(_searched(value, run, "parent"), levels, run)


def _ancestor(value: Any, arguments: Arguments, run: Evaluation) -> str:
    depth = whole(arguments[0], "ancestor")
    return paths.ancestor(_searched(value, run, "ancestor"), depth, run)


def _depth(value: Any, arguments: Arguments, run: Evaluation) -> int:
    return paths.depth(_searched(value, run, "depth"))


def _ancestor_of(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    upper, lower = _two_strings(value, arguments, run, "ancestorOf")
    return paths.is_below(lower, upper)


def _descendant_of(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    lower, upper = _two_strings(value, arguments, run, "descendantOf")
    return paths.is_below(lower, upper)


def _child_of(value: Any, arguments: Arguments, run: Evaluation) -> bool:
    lower, upper = _two_strings(value, arguments, run, "childOf")
    run.search(utf8_size(lower))
    return paths.is_directly_below(lower, upper)


METHODS: dict[str, Method] = {
    "length": Method(length, most=None),
    "isEmpty": Method(_is_empty, most=None),
    "isNotEmpty": Method(_is_not_empty, most=None),
    "contains": Method(_contains, 1, 1),
    "startsWith": Method(_starts_with, 1, 1),
    "endsWith": Method(_ends_with, 1, 1),
    "toLowerCase": Method(_to_lower_case),
    "toUpperCase": Method(_to_upper_case),
    "trim": Method(_trim),
    "substring": Method(_substring, 1, 2),
    "first": Method(_first),
    "last": Method(_last),
    "indexOf": Method(_index_of, 1, 1),
    "join": Method(_join, most=None),
    "parent": Method(_parent, most=None),
    "ancestor": Method(_ancestor, 1, 1),
    "depth": Method(_depth),
    "ancestorOf": Method(_ancestor_of, 1, 1),
    "descendantOf": Method(_descendant_of, 1, 1),
    "childOf": Method(_child_of, 1, 1),
}
