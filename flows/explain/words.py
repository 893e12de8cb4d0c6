"""Parts of an explanation in words."""

from collections.abc import Mapping
from typing import Any

from flows import kinds
from flows.graph import Graph, Node, RetryPolicy
from flows.text import short

SHOWN_DELAYS = 5


def retries(policy: RetryPolicy) -> str:
    """``3 retries after 10 s, 30 s, 60 s``; empty where nothing is retried."""
    if policy.max_retries == 0:
        return ""
    shown = min(policy.max_retries, SHOWN_DELAYS)
    delays = ", ".join(_seconds(policy.delay_ms(number)) for number in range(1, shown + 1))
    more = ", ..." if policy.max_retries > shown else ""
    spread = f", up to {policy.jitter:.0%} longer" if policy.jitter else ""
    return f"{policy.max_retries} {'retry' if policy.max_retries == 1 else 'retries'} after {delays}{more}{spread}"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:g} s"


def plain(value: Any) -> str:
    """A value as it is written in the flow, cut to one line."""
    return short(value) if not isinstance(value, str) else value if len(value) <= 60 else f"{value[:57]}..."


def purpose(node: Node) -> str:
    """What a node does, in a few words."""
    settings = node.settings
    match node.kind:
        case kinds.FUNCTION:
            return f"calls {_path(settings, 'function_ref') or 'no function'}"
        case kinds.HUMAN_TASK:
            return f"asks {settings.get('assignee')} ({settings.get('task_type')})"
        case kinds.WAIT:
            return f"waits: {_wait(settings)}"
        case kinds.SUB_FLOW:
            return f"runs {_path(settings, 'flow_ref')}"
        case kinds.DECISION:
            return f"decides: {plain(settings.get('condition'))}"
        case kinds.STOP:
            return "stops the run"
        case kinds.AI_AGENT | kinds.AI_SEQUENCE | kinds.CHAT:
            return f"asks {_agent(settings) or 'no agent'}"
        case kinds.AGENT_DECISION:
            return f"asks {_agent(settings.get('router') or {}) or 'no agent'} which way"
        case kinds.LOOP:
            return f"repeats {_loop(settings.get('loop') or {})}"
        case kinds.PARALLEL:
            return _parallel(settings)
        case kinds.COMPETITION:
            return "lets agents compete"
    return "passes through"


def notes(node: Node, graph: Graph) -> list[str]:
    """What else decides how a node goes on."""
    policy, found = node.policy, []
    if node.settings.get("when") is not None:
        found.append(f"only when {plain(node.settings['when'])}")
    if node.disabled:
        found.append("disabled: passed over")
    if policy.must_succeed:
        found.append("must succeed: a failure fails the run")
    elif policy.passes and policy.error_edge is None:
        found.append("a failure does not stop the flow")
    if policy.on_error:
        found.append(f"a failure inside: {policy.on_error}")
    if isinstance(node.settings.get("recovery"), Mapping):
        found.append(f"recovery: {recovery(node.settings['recovery'])}")
    if node.settings.get("on_unknown"):
        found.append(f"unknown outcome: {node.settings['on_unknown']}")
    return found


def recovery(settings: Mapping[str, Any]) -> str:
    """``redo this_step, more than 3 failures within 5m: hold``."""
    words = f"redo {settings.get('redo') or 'this_step'}"
    stop_after = settings.get("stop_after")
    if isinstance(stop_after, Mapping):
        words += f", more than {stop_after.get('failures')} failures within {stop_after.get('within')}"
        words += f": {settings.get('then') or 'fail'}"
    return words


def _path(settings: Mapping[str, Any], key: str) -> str | None:
    return kinds.reference_path(settings.get(key))


def _agent(settings: Mapping[str, Any]) -> str | None:
    configs = (settings, settings.get("ai_config"), settings.get("chat_config"))
    paths = (kinds.reference_path(each.get("agent_ref")) for each in configs if isinstance(each, Mapping))
    return next((path for path in paths if path), None)


def _wait(settings: Mapping[str, Any]) -> str:
    match settings.get("wait_type"):
        case "until":
            return f"until {settings.get('until')}"
        case "event":
            limit = f", at most {settings['timeout']}" if settings.get("timeout") is not None else ""
            return f"for the event {settings.get('event_type')}{limit}"
        case "cron":
            return f"for {settings.get('cron')} ({settings.get('timezone') or 'UTC'})"
    return str(settings.get("duration"))


def _loop(loop: Mapping[str, Any]) -> str:
    shape = next((key for key in ("over", "while", "times") if loop.get(key) is not None), "times")
    words = {"over": "for each of", "while": "while", "times": "times"}[shape]
    until = f" until {plain(loop['until'])}" if loop.get("until") is not None else ""
    return f"{words} {plain(loop.get(shape))}{until}"


def _parallel(settings: Mapping[str, Any]) -> str:
    merge = settings.get("merge_strategy") or "merge_all"
    fan_out = settings.get("fan_out")
    if isinstance(fan_out, Mapping):
        return f"a branch for each of {plain(fan_out.get('over'))}, {merge}"
    return f"branches side by side, {merge}"
