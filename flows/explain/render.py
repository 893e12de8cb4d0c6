"""An explanation as text for a terminal, as JSON, or as a Mermaid diagram."""

from dataclasses import asdict
from typing import Any, Final

from flows.explain.lines import BRANCH_END, Explanation, Line

_WIDTH: Final = 110
_SHAPES: Final = {
    "decision": ("{", "}"),
    "or": ("{", "}"),
    "human_task": ("[/", "/]"),
    "wait": ("([", "])"),
    "stop": ("((", "))"),
}


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Plain JSON values."""
    return asdict(explanation)


def as_text(explanation: Explanation) -> str:
    """A paragraph for each line, indented by its containers, and the compensations at the end."""
    parts = [f"A run begins at {explanation.first}; {'; '.join(explanation.notes)}."]
    parts += [_paragraph(line) for line in explanation.lines]
    if explanation.compensations:
        undone = [f"  {each.step}: {each.function}{_input(each.input)}" for each in explanation.compensations]
        parts.append("\n".join(["Undone when a later step fails, newest first:", *undone]))
    return "\n\n".join(parts) + "\n"


def _paragraph(line: Line) -> str:
    margin = "  " * line.depth
    title = f" - {line.action}" if line.action else ""
    rows = [f"{margin}{line.id} [{line.kind}]{title}"]
    details = [line.purpose, line.retries, *line.notes]
    rows += [f"{margin}    {detail}" for detail in details if detail]
    rows += [f"{margin}    {f'{way.label} ' if way.label else ''}-> {way.to}" for way in line.ways]
    return "\n".join(row[:_WIDTH] if len(row) <= _WIDTH else f"{row[: _WIDTH - 3]}..." for row in rows)


def _input(value: Any) -> str:
    return " with the step's own arguments" if value is None else f" with {', '.join(value) or 'nothing'}"


def as_mermaid(explanation: Explanation) -> str:
    """A ``flowchart``; ids are numbered, so that nothing in them can mean something to Mermaid."""
    number = {line.id: f"n{index}" for index, line in enumerate(explanation.lines)}
    rows = ["flowchart TD", "  start([start])", "  end_([end])", f"  start --> {number.get(explanation.first, 'end_')}"]
    for line in explanation.lines:
        opening, closing = _SHAPES.get(line.kind, ("[", "]"))
        rows.append(f'  {number[line.id]}{opening}"{_escaped(line.action or line.id)}"{closing}')
    for line in explanation.lines:
        ways = [way for way in line.ways if way.to != BRANCH_END]
        rows += [_arrow(number[line.id], way.label, number.get(way.to, "end_")) for way in ways]
    rows += _undo_rows(explanation, number)
    return "\n".join(rows) + "\n"


def _arrow(source: str, label: str, target: str) -> str:
    if label in ("error", "timeout"):
        return f"  {source} -. {label} .-> {target}"
    return f'  {source} -- "{_escaped(label)}" --> {target}' if label else f"  {source} --> {target}"


def _undo_rows(explanation: Explanation, number: dict[str, str]) -> list[str]:
    rows = []
    for index, each in enumerate(explanation.compensations):
        rows.append(f'  c{index}>"{_escaped(each.function)}"]')
        rows.append(f"  {number[each.step]} -. undone by .-> c{index}")
    return rows


def _escaped(text: str) -> str:
    for character, entity in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("\n", " ")):
        text = text.replace(character, entity)
    return text
