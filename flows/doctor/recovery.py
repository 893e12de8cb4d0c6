"""Recovery, undo, unknown outcomes, compensation: the static rejections (design/recovery.md)."""

from collections.abc import Iterator, Mapping
from typing import Any

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.values import is_blank, is_count, one_of
from flows.durations import parse_duration
from flows.text import short

REDO = ("this_step", "this_and_after", "whole_group")
THEN = ("hold", "fail", "escalate")
ON_UNKNOWN = ("retry", "reconcile", "halt")


@checks_flow
def scopes(exam: Examination) -> Iterator[Found]:
    """Each ``recovery`` says what is redone and when that stops."""
    yield from _recovery(None, exam.data.get("recovery"), exam)
    for place in exam.outline.places:
        if place.is_container:
            yield from _recovery(place, place.get("recovery"), exam)


def _recovery(place: Place | None, recovery: Any, exam: Examination) -> Iterator[Found]:
    if not isinstance(recovery, Mapping):
        return
    redo, then = recovery.get("redo"), recovery.get("then")
    if redo is not None and not one_of(redo, REDO):
        words = f"redo is {', '.join(REDO[:-1])} or {REDO[-1]}, not {short(redo)}."
        yield Found("UNKNOWN_REDO", place, ("recovery", "redo"), words)
    if then is not None and not one_of(then, THEN):
        words = f"then is {', '.join(THEN[:-1])} or {THEN[-1]}, not {short(then)}."
        yield Found("UNKNOWN_THEN", place, ("recovery", "then"), words)
    if then == "escalate" and not _has_outer_scope(place, exam):
        words = "No recovery lies around this one, so escalate acts as fail. Say fail or hold."
        yield Found("ESCALATE_WITHOUT_SCOPE", place, ("recovery", "then"), words)
    yield from _stop_after(place, recovery.get("stop_after"))


def _stop_after(place: Place | None, stop_after: Any) -> Iterator[Found]:
    if not isinstance(stop_after, Mapping):
        return
    failures = stop_after.get("failures")
    if not is_count(failures):
        words = f"failures is a whole number from 0, not {short(failures)}."
        yield Found("INVALID_STOP_AFTER", place, ("recovery", "stop_after", "failures"), words)
    try:
        parse_duration(stop_after.get("within"))
    except ValueError as error:
        yield Found("INVALID_STOP_AFTER", place, ("recovery", "stop_after", "within"), f"within: {error}")


def _has_outer_scope(place: Place | None, exam: Examination) -> bool:
    if place is None:
        return False
    outer = (*place.ancestors(), *(place.owner.ancestors() if place.owner else ()))
    return has_recovery(exam) or any(isinstance(each.get("recovery"), Mapping) for each in outer)


def has_recovery(exam: Examination) -> bool:
    """Whether the flow as a whole declares ``recovery``."""
    return isinstance(exam.data.get("recovery"), Mapping)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def undo(place: Place, exam: Examination) -> Iterator[Found]:
    """``undo`` names its function and stands where a redo can reach it."""
    found = place.get("undo")
    if not isinstance(found, Mapping):
        return
    if found.get("function_ref") is None:
        words = f"undo needs the function that undoes {place.name}."
        yield Found("UNDO_WITHOUT_FUNCTION", place, ("undo", "function_ref"), words)
    if not _has_outer_scope(place, exam):
        words = f"Nothing redoes {place.name}, so its undo never runs. Give a container around it a recovery."
        yield Found("UNDO_NEVER_RUNS", place, ("undo",), words)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def resources(place: Place, exam: Examination) -> Iterator[Found]:
    """``resources`` maps names to templates."""
    found = place.get("resources")
    is_map = isinstance(found, Mapping) and all(isinstance(value, str) for value in found.values())
    if found is not None and not is_map:
        words = f"resources maps names to templates such as ${{output.id}}, not {short(found)}."
        yield Found("INVALID_RESOURCES", place, ("resources",), words)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def on_unknown(place: Place, exam: Examination) -> Iterator[Found]:
    """``on_unknown`` has a known value and an effect; ``retry`` is safe."""
    choice, reference = place.get("on_unknown"), place.get("function_ref")
    if choice is None:
        return
    if not one_of(choice, ON_UNKNOWN):
        yield Found(
            "UNKNOWN_ON_UNKNOWN",
            place,
            ("on_unknown",),
            f"on_unknown is retry, reconcile or halt, not {short(choice)}.",
        )
        return
    if reference is not None and not exam.is_known(reference):
        return
    manifest, path = exam.manifest(reference) or {}, kinds.reference_path(reference)
    if choice == "retry" and manifest.get("idempotent") is not True:
        words = f"Asking {path or place.name} again could act twice: its manifest does not say idempotent."
        yield Found("ON_UNKNOWN_RETRY_NOT_IDEMPOTENT", place, ("on_unknown",), words)
    elif choice == "retry" and not _has_needed_key(place, manifest):
        parameter = manifest.get("idempotency_param")
        words = f"{path} is safe to repeat only with its {parameter}. Give {place.name} an idempotency_key."
        yield Found("ON_UNKNOWN_RETRY_WITHOUT_KEY", place, ("idempotency_key",), words)
    elif not manifest or manifest.get("effect") == "read":
        words = (
            f"{place.name} never has an unknown outcome: its function has no manifest or only reads. Remove on_unknown."
        )
        yield Found("ON_UNKNOWN_WITHOUT_EFFECT", place, ("on_unknown",), words)


def _has_needed_key(place: Place, manifest: Mapping[str, Any]) -> bool:
    return manifest.get("idempotency_param") is None or not is_blank(place.get("idempotency_key"))


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def idempotency_key(place: Place, exam: Examination) -> Iterator[Found]:
    """Somebody takes the key."""
    reference = place.get("function_ref")
    if is_blank(place.get("idempotency_key")) or (reference is not None and not exam.is_known(reference)):
        return
    if (exam.manifest(reference) or {}).get("idempotency_param") is None:
        words = f"Nothing takes the idempotency_key of {place.name}: the manifest names no parameter for it. Remove it."
        yield Found("IDEMPOTENCY_KEY_WITHOUT_PARAM", place, ("idempotency_key",), words)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def reconcile(place: Place, exam: Examination) -> Iterator[Found]:
    """``reconcile`` stands where it is used, and is complete there."""
    choice, found = place.get("on_unknown"), place.get("reconcile")
    if found is not None and choice != "reconcile":
        words = f"reconcile of {place.name} is used only with on_unknown: reconcile."
        yield Found("RECONCILE_WITHOUT_ON_UNKNOWN", place, ("reconcile",), words)
    if choice != "reconcile":
        return
    help_ = "Say how to find out: which steps look, and which condition means it took effect."
    if not isinstance(found, Mapping):
        yield Found("RECONCILE_MISSING", place, ("reconcile",), help_)
        return
    if not place.probes:
        yield Found("RECONCILE_WITHOUT_STEPS", place, ("reconcile", "steps"), help_)
    if is_blank(found.get("outcome")):
        yield Found("RECONCILE_WITHOUT_OUTCOME", place, ("reconcile", "outcome"), help_)
    promises = (exam.manifest(place.get("function_ref")) or {}).get("output_schema") is not None
    if promises and "result" not in found:
        path = kinds.reference_path(place.get("function_ref"))
        words = f"{path} promises an output; say in result what it is when the effect is found."
        yield Found("RECONCILE_WITHOUT_RESULT", place, ("reconcile", "result"), words)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def compensation(place: Place, exam: Examination) -> Iterator[Found]:
    """``compensation_when`` has a known value and something to say it about; a write can be taken back."""
    when = place.get("compensation_when")
    if when is not None and not one_of(when, ("abandon", "always")):
        words = f"compensation_when is abandon or always, not {short(when)}."
        yield Found("UNKNOWN_COMPENSATION_WHEN", place, ("compensation_when",), words)
    manifest = exam.manifest(place.get("function_ref")) or {}
    compensated = place.get("compensation_ref") is not None or manifest.get("compensation") is not None
    is_open = place.get("function_ref") is not None and not exam.is_known(place.get("function_ref"))
    if when is not None and not compensated and not is_open:
        words = f"Nothing compensates {place.name}, so compensation_when says nothing. Set compensation_ref."
        yield Found("COMPENSATION_WHEN_WITHOUT_REF", place, ("compensation_when",), words)
    writes = place.kind == kinds.FUNCTION and bool(manifest) and manifest.get("effect") != "read"
    if writes and not compensated and place.get("undo") is None and _may_fail_after(place, exam):
        words = f"{place.name} changes something that stays when a later step fails. Set compensation_ref if it can be undone."
        yield Found("WRITE_WITHOUT_COMPENSATION", place, ("compensation_ref",), words)


def _may_fail_after(place: Place, exam: Examination) -> bool:
    return place.owner is None and place.index < exam.once("last_that_may_fail", lambda: _last_that_may_fail(exam))


def _last_that_may_fail(exam: Examination) -> int:
    """The index of the last step whose failure can fail the run."""
    calls = (kinds.FUNCTION, kinds.AI_AGENT, kinds.AI_SEQUENCE, kinds.HUMAN_TASK, kinds.SUB_FLOW, kinds.CHAT)
    failing = (
        place.index
        for place in exam.outline.places
        if place.kind in calls and place.owner is None and not handles_failure(place)
    )
    return max(failing, default=-1)


def handles_failure(place: Place) -> bool:
    """Whether rows 2 and 3 of the ladder catch every failure of this node (design/semantics.md)."""
    if place.get("must_succeed") is True:
        return False
    shields = place.kind in (kinds.LOOP, kinds.PARALLEL)
    passes = place.get("continue_on_fail") is True or place.get("optional") is True
    goes_on = not shields and place.get("on_error") in ("continue", "skip")
    return passes or goes_on or place.get("error_edge") is not None
