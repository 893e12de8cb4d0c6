"""What a run's page says about its failure, and what may be decided: each choice tells what it will do before it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import User
from django.utils.translation import gettext, ngettext

from designer import access
from designer.drawings import filled, humanised
from designer.people import names_of
from designer.presenters.stories import quoted
from designer.schema_forms import Part, form_for
from engine import resolutions
from engine.failure import WITH_DOCUMENT, document, tree
from engine.failure import place as places
from engine.failure.place import Place
from engine.models import Instance, Resolution
from engine.states import Status
from flows import kinds

FOR_GOOD: Final = "none"
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision that this person may take: ``lines`` are what it will do, step by step. ``form`` asks for a result."""

    url: str
    verb: str
    title: str
    lines: Sequence[str]
    ack: str = ""
    is_danger: bool = False
    form: Part | None = None

    @property
    def confirm(self) -> str:
        return "\n".join([self.title, *self.lines])


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision that was taken before."""

    row: Resolution
    who: str


@dataclass(frozen=True, slots=True)
class FailurePart:
    """Everything about one failure. ``remainder`` says what is left of the run's effects."""

    document: Document
    remainder: str
    choices: Sequence[Choice] = ()
    decided: Sequence[Decided] = field(default=())

    @property
    def is_unknown(self) -> bool:
        return bool(self.document["failed_step"]["outcome"] == "unknown")

    @property
    def at_once(self) -> Sequence[Choice]:
        """The choices that need nothing said with them."""
        return [choice for choice in self.choices if not choice.ack]


def failure_part(run: Instance, user: User) -> FailurePart | None:
    """``None`` for a run that has not failed."""
    if run.status not in WITH_DOCUMENT:
        return None
    found = tree.read(run)
    place, told = places.find(found), document.build(found)
    rows = resolutions.decisions_of(run)
    names = names_of([row.by for row in rows])
    return FailurePart(
        document=told,
        remainder=_remainder(told),
        choices=_choices(told, place) if run.parent_id is None and access.can_operate(user) else (),
        decided=[Decided(row, names.get(row.by, row.by)) for row in rows],
    )


def _remainder(told: Document) -> str:
    """What a rolled-back run has left behind; empty for the others, whose effects are still wanted."""
    if told["status"] != Status.ROLLED_BACK:
        return ""
    left = [each["resource"] for each in told["unwind_on_abandon"] if each["undo"] == FOR_GOOD]
    if left:
        return gettext("Cannot be undone: %(what)s.") % {"what": "; ".join(left)}
    return "" if told["compensation"]["unconfirmed"] else gettext("Nothing else was changed.")


def _choices(told: Document, place: Place) -> list[Choice]:
    retryable = told["retryable"]
    found = []
    if retryable["resumable"]:
        found += _settling(told, place) if "reconcile_required" in retryable else [_resume(told, place)]
    if told["status"] != Status.ROLLED_BACK or told["compensation"]["unconfirmed"]:
        found.append(_abandon(told))
    return found


def _resume(told: Document, place: Place) -> Choice:
    again = gettext("%(step)s is tried again, with all its tries.") % {"step": quoted(_step(place))}
    lines = [*_first(told), again, _stays(told)]
    return Choice("resume-run", gettext("Resume"), gettext("Let this run go on?"), lines)


def _settling(told: Document, place: Place) -> list[Choice]:
    """The answers to a call of which nobody knows what it did."""
    step = {"step": quoted(_step(place))}
    applied = gettext("The run goes on behind %(step)s, with the result that you give.") % step
    not_applied = gettext("It counts as a failed try of %(step)s: the tries that are left are used.") % step
    if told["status"] == Status.FAILED:
        not_applied = gettext("%(step)s is tried again, with all its tries.") % step
    found = [
        Choice(
            "resume-run",
            gettext("It took effect"),
            gettext("Say that %(step)s took effect?") % step,
            [*_first(told), applied, _stays(told)],
            ack="applied",
            form=_result_form(place),
        ),
        Choice(
            "resume-run",
            gettext("It did not take effect"),
            gettext("Say that %(step)s did not take effect?") % step,
            [*_first(told), not_applied, _stays(told)],
            ack="not_applied",
        ),
    ]
    if place.node is not None and place.node.settings.get("on_unknown") == "reconcile":
        asks = gettext("The flow's own check is asked again whether %(step)s took effect.") % step
        found.append(
            Choice("resume-run", gettext("Check again"), gettext("Let the flow check again?"), [*_first(told), asks])
        )
    return found


def _abandon(told: Document) -> Choice:
    entries = [*told["unwind_always"], *told["unwind_on_abandon"]]
    undone = [each["resource"] for each in entries if each["undo"] != FOR_GOOD]
    for_good = [each["resource"] for each in entries if each["undo"] == FOR_GOOD]
    lines = [gettext("Will be undone: %(what)s.") % {"what": each} for each in undone]
    lines += [gettext("Cannot be undone: %(what)s.") % {"what": each} for each in for_good]
    if not undone:
        lines.append(gettext("There is nothing to undo."))
    lines.append(gettext("The run cannot go on afterwards."))
    again = told["status"] == Status.ROLLED_BACK
    verb = gettext("Try to undo again") if again else gettext("Give up")
    title = gettext("Try once more what could not be undone?") if again else gettext("Give this run up?")
    return Choice("abandon-run", verb, title, lines, is_danger=True)


def _first(told: Document) -> list[str]:
    words = gettext("Is undone first, in any case: %(what)s.")
    return [words % {"what": each["resource"]} for each in told["unwind_always"]]


def _stays(told: Document) -> str:
    n = len(told["completed_steps"])
    if not n:
        return gettext("No step was done before it.")
    return ngettext("%(n)d step is done and does not run again.", "%(n)d steps are done and do not run again.", n) % {
        "n": n
    }


def _result_form(place: Place) -> Part | None:
    schema = result_schema(place)
    return None if schema is None else form_for(schema, name="result")


def result_schema(place: Place) -> Mapping[str, Any] | None:
    """The output schema that a result given by a person has to fit, ``None`` where the function promises nothing."""
    node = place.node
    path = kinds.reference_path(node.settings.get("function_ref")) if node is not None else None
    found = (place.run.graph.manifests.get(path or "") or {}).get("output_schema")
    return found if isinstance(found, Mapping) else None


def _step(place: Place) -> str:
    node = place.node
    if node is None:
        return place.name
    action = node.settings.get("action")
    return (filled(action, place.run.instance.input) if isinstance(action, str) else "") or humanised(node.id)
