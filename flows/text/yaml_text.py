"""YAML in, by the events of the parser in C; YAML out, so that every reader reads the same."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from flows.text.builder import Builder, Parsed
from flows.text.limits import DocumentError
from flows.text.scalars import FLOAT, INTEGER, NO_NUMBER, plain


def write_yaml(value: Any) -> str:
    """``value`` (plain JSON values) as YAML in block style; members keep their order."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


def documents(text: str) -> Iterator[Parsed]:
    """Every document of ``text``, one at a time."""
    builder = Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                builder = Builder()
            elif isinstance(event, yaml.DocumentEndEvent):
                yield Parsed(builder.value, builder.lines)
            else:
                _take(builder, event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (None, None)
        code = "too_deep" if "nesting depth" in str(error.problem) else "syntax"
        raise DocumentError(f"This is no YAML: {error.problem or error.context}.", *place, code=code) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError(f"This is no YAML: {error.reason}.", line, code="syntax") from error


def _take(builder: Builder, event: Any) -> None:
    mark = event.start_mark
    line, column = mark.line + 1, mark.column + 1
    if isinstance(event, yaml.AliasEvent):
        builder.alias(str(event.anchor), line, column)
    elif isinstance(event, yaml.CollectionEndEvent):
        builder.end()
    elif isinstance(event, yaml.NodeEvent):
        _take_value(builder, event, line, column)


def _take_value(builder: Builder, event: Any, line: int, column: int) -> None:
    if event.tag is not None:
        raise DocumentError(f"The tag {event.tag} is not read. Remove it.", line, column, code="tag")
    if isinstance(event, yaml.SequenceStartEvent):
        builder.begin([], line, column, event.anchor)
    elif isinstance(event, yaml.MappingStartEvent):
        builder.begin({}, line, column, event.anchor)
    else:
        is_plain = event.implicit[0]
        value = plain(event.value, line, column) if is_plain else event.value
        if is_plain and value == "<<":
            raise DocumentError("Merge keys (<<) are not read. Write the members out.", line, column, code="tag")
        builder.scalar(value, 1 + len(event.value), line, column, event.anchor)


class _Dumper(yaml.CSafeDumper):
    """Quotes whatever YAML 1.1 or 1.2 would read as something else than text, and writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text_node)
for _pattern in (INTEGER, FLOAT, NO_NUMBER):
    _Dumper.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(f"^(?:{_pattern.pattern})$"), list("-+.0123456789")
    )
