"""Lowering: a checked definition in, the graph the engine walks out.

Pure. A node leads to its next sibling, the last child leads out of its container (reference/flow-format.md, section 2).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from flows import kinds
from flows.graph import Graph, Node, Policy, RetryPolicy
from flows.kinds import RawNode
from flows.layout import Names, layout
from flows.reading import reads
from flows.runtime import is_runtime, runtime_layout

PRESETS: Final[Mapping[str, RetryPolicy]] = {
    "none": RetryPolicy(0),
    "quick": RetryPolicy(3, 1_000, 10_000),
    "standard": RetryPolicy(5, 2_000, 60_000),
    "aggressive": RetryPolicy(10, 5_000, 120_000),
    "llm": RetryPolicy(5, 10_000, 120_000),
}
"""raisin, *Retries*."""

POLICY_PART: Final = (
    "effect",
    "idempotent",
    "idempotency_param",
    "retry",
    "errors",
    "resources",
    "compensation",
    "output_schema",
)
"""What of a manifest belongs to a version; code, titles and input schemas are those of the deployed function. Which arguments
must not be shown is kept as ``secret_arguments``: a run's record is masked as the version was published."""

MAX_NUMBER: Final = 2**53
"""Larger counts and delays are taken as not given; the doctor warns about them."""

Manifests = Callable[[str], Mapping[str, Any] | None]
"""Looks a function's manifest up by path; ``None`` where the library has none."""


def lower(workflow_data: Mapping[str, Any], manifests: Manifests) -> Graph:
    """Lower ``workflow_data``. The definition must have passed the doctor: names in jumps are taken as they are."""
    roots = [node for node in workflow_data.get("nodes") or [] if isinstance(node, Mapping)]
    found = runtime_layout(workflow_data) if is_runtime(workflow_data) else layout(roots)
    known = _manifests(found.flat, manifests)
    tells_reads = "this_and_after" in _redos(workflow_data, roots)
    nodes = tuple(
        Node(
            index=index,
            id=found.ids[index],
            kind=kinds.kind_of(raw),
            policy=_policy(raw, found.names[index], known),
            parent=found.parents.get(index),
            next=found.successors.get(index),
            children=found.children.get(index, ()),
            disabled=kinds.properties(raw).get("disabled") is True,
            settings=_settings(raw),
            edges=_edges(raw, found.names[index]),
            owner=found.owners.get(index),
            probes=found.probes.get(index, ()),
            reads=reads(raw) if tells_reads else (),
        )
        for index, raw in enumerate(found.flat)
    )
    return Graph(
        nodes=nodes,
        first=found.first,
        error_strategy=workflow_data.get("error_strategy") or "fail_fast",
        on_failure=workflow_data.get("on_failure") or "rollback",
        recovery=workflow_data.get("recovery"),
        manifests=known,
    )


def _redos(workflow_data: Mapping[str, Any], roots: list[RawNode]) -> set[Any]:
    """Every ``redo`` that some scope of the flow declares."""
    declared = [workflow_data.get("recovery"), *(kinds.setting(raw, "recovery") for raw in kinds.walk(roots))]
    return {str(each.get("redo")) for each in declared if isinstance(each, Mapping)}


def retry_policy(raw: RawNode, manifest: Mapping[str, Any] | None) -> RetryPolicy:
    """The retry budget of a node: its ``retry``, else its preset, else the manifest's, else its kind's default.

    An unknown preset name falls back to the defaults rather than disabling retries (raisin, *Retries*).
    """
    own, preset = kinds.setting(raw, "retry"), PRESETS.get(str(kinds.setting(raw, "retry_strategy")))
    declared = manifest.get("retry") if manifest else None
    default = _sequence_retry(raw) or RetryPolicy(kinds.DEFAULT_RETRIES.get(kinds.kind_of(raw), 0))
    fallback = preset or declared_retry(declared, default)
    if isinstance(own, Mapping):
        return declared_retry(own, RetryPolicy(fallback.max_retries))
    return fallback


def _sequence_retry(raw: RawNode) -> RetryPolicy | None:
    """What ``ai_config`` says about a call that failed: ``on_error: retry``, after one and the same delay."""
    config = _ai_config(raw)
    if config.get("on_error") != "retry":
        return None
    count, delay = _number(config.get("max_retries")), _positive(config.get("retry_delay_ms")) or 1_000
    return RetryPolicy(2 if count is None else max(0, int(count)), base_ms=delay, max_ms=delay)


def _ai_config(raw: RawNode) -> Mapping[str, Any]:
    found = kinds.setting(raw, "ai_config") if kinds.kind_of(raw) == kinds.AI_SEQUENCE else None
    return found if isinstance(found, Mapping) else {}


def declared_retry(retry: Any, default: RetryPolicy) -> RetryPolicy:
    """A retry policy as written in a step or a manifest; what it leaves out comes from ``default``."""
    if not isinstance(retry, Mapping):
        return default
    count = _number(retry.get("max_retries"))
    jitter = _number(retry.get("jitter")) or 0.0
    return RetryPolicy(
        max_retries=default.max_retries if count is None else max(0, int(count)),
        base_ms=_positive(retry.get("base_delay_ms")),
        max_ms=_positive(retry.get("max_delay_ms")),
        jitter=min(max(jitter, 0.0), 1.0),
    )


def _policy(raw: RawNode, by_name: Names, manifests: Mapping[str, Mapping[str, Any]]) -> Policy:
    manifest = manifests.get(kinds.reference_path(kinds.properties(raw).get("function_ref")) or "")
    on_error, declared = kinds.setting(raw, "on_error"), kinds.setting(raw, "continue_on_fail")
    error_edge, timeout_edge = kinds.setting(raw, "error_edge"), kinds.setting(raw, "timeout_edge")
    shields = kinds.kind_of(raw) in (kinds.LOOP, kinds.PARALLEL)
    passes = declared is True or kinds.setting(raw, "optional") is True
    if not shields:
        passes = passes or on_error in ("continue", "skip") or _ai_config(raw).get("on_error") == "continue"
    must_succeed = kinds.setting(raw, "must_succeed") is True
    return Policy(
        retry=retry_policy(raw, manifest),
        must_succeed=must_succeed,
        error_edge=None if error_edge is None else by_name[error_edge],
        timeout_edge=None if timeout_edge is None else by_name[timeout_edge],
        passes=passes,
        declares_handling=passes or must_succeed or error_edge is not None or declared is not None,
        on_error=on_error if shields and on_error in ("continue", "stop") else None,
    )


def _settings(raw: RawNode) -> dict[str, Any]:
    """What a node says, wherever it may stand. Of a container the node's own keys win, of a step its properties."""
    if kinds.is_container(raw):
        structure = ("children", "id", "node_type", "container_type", "properties")
        own = {key: value for key, value in raw.items() if key not in structure and value is not None}
        return {**kinds.properties(raw), **own}
    own = {key: value for key, value in raw.items() if key not in ("properties", "id", "node_type")}
    return {**own, **kinds.properties(raw)}


def _edges(raw: RawNode, by_name: Names) -> dict[str, int]:
    named = kinds.properties(raw)
    arms = {arm: by_name[named[arm]] for arm in ("yes_branch", "no_branch") if named.get(arm) is not None}
    return arms | {choice: by_name[choice] for choice in named.get("choices") or ()}


def _manifests(flat: list[RawNode], manifests: Manifests) -> dict[str, Mapping[str, Any]]:
    """The policy part of every manifest the flow's functions and compensations have, by path."""
    found: dict[str, Mapping[str, Any]] = {}
    wanted = [path for node in flat for path in _function_paths(node)]
    while wanted:
        path = wanted.pop()
        manifest = None if path in found else manifests(path)
        if manifest is None:
            continue
        secret = sorted(kinds.secret_arguments(manifest.get("input_schema")))
        found[path] = {key: manifest[key] for key in POLICY_PART if key in manifest}
        found[path] = {**found[path], **({"secret_arguments": secret} if secret else {})}
        undone_by = kinds.reference_path((manifest.get("compensation") or {}).get("function_ref"))
        wanted += [undone_by] if undone_by else []
    return found


def _function_paths(raw: RawNode) -> list[str]:
    named = kinds.properties(raw)
    undo = named.get("undo")
    references = [named.get("function_ref"), named.get("compensation_ref")]
    references += [undo.get("function_ref")] if isinstance(undo, Mapping) else []
    return [path for path in map(kinds.reference_path, references) if path]


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < MAX_NUMBER else None


def _positive(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and number > 0 else None
