"""What the Run dialog knows before and after somebody fills it in: the two ways to run a flow, and what was typed.

A real run uses the newest published version, a test run the draft as it is now (:func:`engine.testruns.start_test`). Where the
two ask for different input, each has fields of its own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext as _

from designer import access, mock_forms
from designer.mock_forms import MockForm
from designer.schema_forms import ABSENT, Part, Problems, form_for, read
from flows.callees import Callee, callees
from flows.doctor.library import Definition
from flows.library import DatabaseLibrary
from flows.loader import load
from flows.models import Flow, FlowVersion
from flows.questions import Question, questions
from flows.schemas import schema_problem
from flows.text import DocumentError
from flows.versions import newest_published

REAL: Final = "real"
TEST: Final = "test"
Mode = Literal["real", "test"]


@dataclass(frozen=True, slots=True)
class Side:
    """One way to run. ``why_not`` says why this person cannot; ``name`` is what its input's fields begin with."""

    mode: Mode
    version: FlowVersion | None
    definition: Definition
    why_not: str
    name: str = "input"

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """What the input is to be like; a draft may hold something that is no schema, which the start refuses."""
        found = self.definition.get("input_schema")
        return found if isinstance(found, Mapping) and schema_problem(found) is None else None


@dataclass(frozen=True, slots=True)
class Sides:
    """Both ways, and what a test run can come to call and to ask."""

    real: Side
    test: Side
    called: list[Callee]
    asked: list[Question]

    def of(self, mode: str) -> Side:
        return self.test if mode == TEST else self.real

    @property
    def together(self) -> bool:
        """Whether one form serves both."""
        return self.real.name == self.test.name


@dataclass(slots=True)
class Typed:
    """What the form shows: the way to run, the input (a text where it is no JSON), the mocks, and what is wrong."""

    mode: Mode
    value: Any
    mocks: MockForm
    config: dict[str, Any] | None = None
    problems: Problems = field(default_factory=dict)

    def input_form(self, side: Side, *, as_json: bool) -> "InputForm":
        is_mine = side.mode == self.mode
        problems = self.problems if is_mine else {}
        if as_json or side.schema is None:
            return InputForm(side, None, _as_text(self.value, side.schema))
        value = self.value if isinstance(self.value, Mapping) else ABSENT
        return InputForm(side, form_for(side.schema, value, problems, name=side.name), "")


@dataclass(frozen=True, slots=True)
class InputForm:
    """The fields for one side's input: ``form``, or ``json`` to be edited as text."""

    side: Side
    form: Part | None
    json: str


def sides_of(flow: Flow, user: User) -> Sides:
    """Both ways to run ``flow``, as this person may."""
    published = newest_published(flow.workspace_id, flow.path)
    real = Side(
        REAL, published, (published.definition or {}) if published else {}, _why_not_real(flow, published, user)
    )
    definition, fault = _draft(flow, published)
    why_not = fault if access.can_test(user, flow) else _("You may not start test runs of this flow.")
    same = published is None or bool(fault) or definition.get("input_schema") == real.schema
    test = Side(TEST, None, definition, why_not, "input" if same else "draft")
    library = DatabaseLibrary(flow.workspace_id)
    return Sides(real, test, callees(definition, library), questions(definition, library))


def _why_not_real(flow: Flow, published: FlowVersion | None, user: User) -> str:
    if not access.can_run(user, flow):
        return _("You may not start this flow.")
    if published is None:
        return _("Publish it first: real runs use a published version.")
    return "" if flow.enabled else _("This flow is switched off.")


def _draft(flow: Flow, published: FlowVersion | None) -> tuple[Definition, str]:
    """What a test run would run, and why it cannot; a draft with the doctor's errors is refused when it is started."""
    if not flow.draft.strip():
        return (published.definition or {}, "") if published else ({}, _("This flow has no steps yet."))
    try:
        return load(flow.draft).workflow_data or {}, ""
    except DocumentError as error:
        return {}, _("The draft cannot be read: %(why)s") % {"why": error.message}


def begin(sides: Sides, mode: str, value: Any, config: dict[str, Any] | None) -> Typed:
    """The form before anything was typed: with an input and a configuration to begin with, where there are any."""
    chosen: Mode = TEST if mode == TEST or (mode != REAL and sides.real.why_not and not sides.test.why_not) else REAL
    return Typed(chosen, value, mock_forms.form_of(sides.called, sides.asked, config), config)


def read_form(sides: Sides, sent: QueryDict, *, as_json: bool) -> Typed:
    """What was sent, with what of it could not even be read."""
    mode: Mode = TEST if sent.get("mode") == TEST else REAL
    side = sides.of(mode)
    if as_json or side.schema is None:
        value, problems = read_json(sent.get("json" if side.name == "input" else "draft-json", ""))
    else:
        value, problems = read(side.schema, sent, name=side.name)
    if mode == REAL:
        return Typed(mode, value, mock_forms.form_of(sides.called, sides.asked, None), None, problems)
    config, mocks = mock_forms.read(sides.called, sides.asked, sent)
    typed = Typed(mode, value, mocks, config, problems)
    if mocks.has_errors:
        typed.problems.setdefault("mocks", []).append(_("Some answers below cannot be read; they are marked."))
    return typed


def read_json(text: str) -> tuple[Any, Problems]:
    """An input typed as text; the text itself where it is no JSON."""
    try:
        return json.loads(text or "{}"), {}
    except (ValueError, RecursionError):
        return text, {"input": [_("This is not JSON. Texts stand in double quotes, names too.")]}


def _as_text(value: Any, schema: Any) -> str:
    """JSON to begin with: what was given, else the schema's defaults under its names."""
    if isinstance(value, str):
        return value
    if value is ABSENT:
        properties = (schema or {}).get("properties") or {}
        value = {
            name: part["default"] for name, part in properties.items() if isinstance(part, dict) and "default" in part
        }
    return json.dumps(value, ensure_ascii=False, indent=2)
