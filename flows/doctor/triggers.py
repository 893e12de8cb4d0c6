"""Triggers in raisin's form, which come along with a folder of flows (reference/flow-format.md, section 13).

Raisin starts flows on events of its own node store, and there is none here. Such a trigger is reported and never starts anything.
"""

from collections.abc import Mapping
from typing import Any, Final

from flows.doctor.codes import CODES
from flows.doctor.findings import Finding
from flows.text import Lines, short

TRIGGER_NODE_TYPE: Final = "raisin:Trigger"
_CODE: Final = "TRIGGER_NOT_APPLICABLE"


def check_trigger(content: Mapping[str, Any], lines: Lines) -> list[Finding]:
    """What is to be said of a trigger's file."""
    given = content.get("properties")
    properties: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    name = properties.get("name")
    called = f"The trigger {short(name)}" if isinstance(name, str) and name else "This trigger"
    kind = properties.get("trigger_type")
    wanted = f" ({short(kind)})" if isinstance(kind, str) and kind else ""
    words = (
        f"{called}{wanted} starts nothing here: there is no node store whose events it could wait for. "
        "Start the flow through the API, or from a page."
    )
    place = ("properties", "trigger_type")
    line = lines.get(place) or lines.get(("node_type",))
    return [Finding(_CODE, CODES[_CODE].severity, "", "properties.trigger_type", words, line)]
