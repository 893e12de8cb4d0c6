"""What the doctor hands out."""

from dataclasses import asdict, dataclass
from typing import Any

from flows.doctor.codes import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a definition.

    ``node`` is the id of the step or container, empty for the flow as a whole or a node without an id. ``field`` leads
    to the value inside the node, such as ``arguments.amount`` or ``rules.0.condition``. ``line`` is the line of the
    text, ``None`` where no text is known.
    """

    code: str
    severity: Severity
    node: str
    field: str
    message: str
    line: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether it keeps the flow from being published and started."""
        return self.severity == "error"

    def as_json(self) -> dict[str, Any]:
        """The finding as plain JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        place = " ".join(part for part in (self.node, self.field) if part)
        return f"{self.severity} {self.code}{f' [{place}]' if place else ''}: {self.message}"
