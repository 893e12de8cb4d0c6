"""What a function says of itself, in words (design/semantics.md, "Manifests")."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from designer.words import duration
from flows import kinds
from flows.library import manifest_of
from flows.models import Flow, FlowVersion, HttpFunction, LibraryFunction, NotificationKind, NotificationTarget
from flows.text.words import short


@dataclass(frozen=True, slots=True)
class FunctionCard:
    """One function in words. ``facts`` are (word, sentence) pairs, ``flows`` those that call it; ``request`` are the facts of an
    HTTP function's request, with the names of secrets where their values will stand."""

    path: str
    title: str
    description: str
    is_available: bool
    facts: Sequence[tuple[str, str]]
    flows: Sequence[Flow]
    input_schema: Any
    output_schema: Any
    is_http: bool = False
    request: Sequence[tuple[str, str]] = ()


def function_card(function: LibraryFunction, flows: Mapping[str, Sequence[Flow]]) -> FunctionCard:
    """The card of a function; ``flows`` is what :func:`used_by` answers."""
    manifest = manifest_of(function.path) or {}
    http: HttpFunction | None = getattr(function, "httpfunction", None)
    return FunctionCard(
        path=function.path,
        title=str(manifest.get("title") or function.title or function.path),
        description=str(manifest.get("description") or ""),
        is_available=function.available,
        facts=[(word, words) for word, words in _facts(manifest) if words],
        flows=flows.get(function.path, ()),
        input_schema=manifest.get("input_schema"),
        output_schema=manifest.get("output_schema"),
        is_http=http is not None,
        request=[] if http is None else [(word, words) for word, words in _request(http) if words],
    )


@dataclass(frozen=True, slots=True)
class TargetCard:
    """One notification target in words; ``reaches`` says whom, ``flows`` are those that name it. The address of a webhook is
    often all that protects it: only its host is told."""

    target: NotificationTarget
    reaches: str
    flows: Sequence[Flow]


def target_card(target: NotificationTarget, flows: Mapping[str, Sequence[Flow]]) -> TargetCard:
    """The card of a notification target; ``flows`` is what :func:`used_by` answers."""
    is_mail = target.kind == NotificationKind.EMAIL
    reaches = ", ".join(target.recipients) if is_mail else urlsplit(target.url).hostname or ""
    return TargetCard(target, reaches, flows.get(target.name, ()))


def used_by(workspace: str) -> dict[str, list[Flow]]:
    """The flows that call each function, by path, or tell each notification target, by name, as their newest published versions
    do. One query."""
    versions = FlowVersion.objects.filter(flow__workspace__slug=workspace, number__isnull=False)
    found: defaultdict[str, list[Flow]] = defaultdict(list)
    seen: set[int] = set()
    for version in versions.select_related("flow").order_by("flow__path", "-number"):
        if version.flow_id in seen:
            continue
        seen.add(version.flow_id)
        for name in sorted(_called(version.definition) | _told(version.definition)):
            found[name].append(version.flow)
    return dict(found)


def _told(definition: Any) -> set[str]:
    """Names of targets: no path is like one, for it begins with a slash."""
    nodes = kinds.walk((definition or {}).get("nodes") or [])
    declared = [(definition or {}).get("recovery"), *(kinds.setting(node, "recovery") for node in nodes)]
    named = (each.get("notify") for each in declared if isinstance(each, Mapping))
    return {each for each in named if isinstance(each, str)}


def _called(definition: Any) -> set[str]:
    paths: set[str] = set()
    for node in kinds.walk((definition or {}).get("nodes") or []):
        named = kinds.properties(node)
        for field in ("function_ref", "compensation_ref"):
            path = kinds.reference_path(named.get(field))
            if path:
                paths.add(path)
    return paths


def _request(function: HttpFunction) -> list[tuple[str, str]]:
    answers = ", ".join(map(str, function.unknown_statuses))
    return [
        (_("Sends"), f"{function.method} {function.url}"),
        (_("Headers"), _listed(function.headers)),
        (_("Query"), _listed(function.query)),
        (_("Body"), "" if function.body is None else short(function.body)),
        (_("Idempotency key in"), function.idempotency_header),
        (_("Waits for an answer"), duration(function.timeout_seconds)),
        (_("Leaves it open"), answers),
    ]


def _listed(named: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value if isinstance(value, str) else short(value)}" for name, value in named.items())


def _facts(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    if not manifest:
        return [(_("Manifest"), _("None: every failure is tried again, and nothing is ever in doubt."))]
    return [
        (_("Effect"), _effect(manifest)),
        (_("Safe to repeat"), _repeat(manifest)),
        (_("Tries again"), _retries(manifest.get("retry"))),
        (_("Never again after"), ", ".join(map(str, (manifest.get("errors") or {}).get("fatal") or []))),
        (_("Undone by"), str(kinds.reference_path((manifest.get("compensation") or {}).get("function_ref")) or "")),
    ]


def _effect(manifest: Mapping[str, Any]) -> str:
    if manifest.get("effect", "write") == "read":
        return _("Only looks something up.")
    return _("Changes something in the world.")


def _repeat(manifest: Mapping[str, Any]) -> str:
    if manifest.get("effect") == "read":
        return _("Yes.")
    if manifest.get("idempotent") is not True:
        return _("No: when nobody knows whether it worked, a person decides.")
    parameter = manifest.get("idempotency_param")
    return _("Yes, with the key in %(name)s.") % {"name": parameter} if parameter else _("Yes.")


def _retries(retry: Any) -> str:
    if not isinstance(retry, Mapping):
        return ""
    count = int(retry.get("max_retries") or 0)
    if count == 0:
        return _("Never.")
    times = ngettext("%(count)d time", "%(count)d times", count) % {"count": count}
    first = retry.get("base_delay_ms")
    if not isinstance(first, int | float):
        return times
    return _("%(times)s, the first after %(delay)s") % {"times": times, "delay": duration(first / 1000)}
