"""What a flow can be made of, as the designer needs to know it: kinds of step, their fields, and the library.

The designer has no form of its own for any kind. It draws what this catalogue says, so that a new kind or property
needs an entry here and nothing in the browser. A property that the format knows and no entry here names still appears:
:func:`designer.catalogue.kinds.fields_of` adds it by its type.
"""

from typing import Any

from designer.catalogue.kinds import flow_fields, kinds_for_designer
from designer.catalogue.language import language
from designer.catalogue.library import agents, flows, functions, people, targets
from designer.catalogue.sections import sections
from flows.models import Workspace


def catalogue(workspace: Workspace) -> dict[str, Any]:
    """The catalogue in the reader's language, as plain JSON values; a fixed number of queries."""
    return {
        "sections": sections(),
        "kinds": kinds_for_designer(),
        "flow": flow_fields(),
        "language": language(),
        "functions": functions(),
        "agents": agents(),
        "people": people(),
        "flows": flows(workspace),
        "targets": targets(),
    }
