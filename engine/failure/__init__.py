"""The failure document: what a caller gets when a run fails (design/failure-document.md).

It is made from the run's rows when it is asked for and changes only when something happens to the run. :mod:`.tree` reads,
:mod:`.place` finds the failed step, :mod:`.unwinding` says what is left to undo, :mod:`.document` puts it together.
"""

from typing import Any
from uuid import UUID

from engine.errors import NotFound
from engine.failure import document, tree
from engine.models import Instance
from engine.states import Status

WITH_DOCUMENT = (Status.FAILED, Status.ROLLED_BACK, Status.HELD)


def failure_document(instance_id: UUID) -> dict[str, Any]:
    """The document of a failed, rolled-back or held run. Raises ``NotFound`` (``no_failure``) for any other."""
    instance = Instance.objects.filter(pk=instance_id).select_related("flow", "version").first()
    if instance is None:
        raise NotFound("There is no such run.")
    if instance.status not in WITH_DOCUMENT:
        raise NotFound(
            f"This run has not failed ({instance.get_status_display()}): there is no failure document.",
            code="no_failure",
        )
    return document.build(tree.read(instance))
