"""What the services of this package refuse, each in words for the person who asked."""

from collections.abc import Sequence

from flows.doctor.findings import Finding


class FlowsError(Exception):
    """Base of all refusals; ``message`` can be shown to the person as it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RevisionConflict(FlowsError):
    """Somebody saved the draft in the meantime. ``current`` is the revision it has now."""

    def __init__(self, current: int) -> None:
        super().__init__(
            f"Somebody else has saved this flow (revision {current}). Load it again and repeat your change."
        )
        self.current = current


class DefinitionRejected(FlowsError):
    """The doctor found errors. ``findings`` holds everything it found, warnings and suggestions too."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        errors = [each for each in findings if each.is_error]
        more = f" And {len(errors) - 1} more." if len(errors) > 1 else ""
        place = f"{errors[0].node}: " if errors[0].node else ""
        super().__init__(f"The flow has errors. {place}{errors[0].message}{more}")
        self.findings = list(findings)
