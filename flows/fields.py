"""The column type for recorded JSON values."""

import json
from typing import Any

from django.db import models

from flows.values import dumps


class RecordedJSONField(models.TextField):  # type: ignore[type-arg]
    """A JSON value kept as the text it was written as.

    ``jsonb`` turns ``1e21`` into an integer and reorders members; a run must read back exactly what it recorded
    (reference/expressions.md, section 1). Nothing queries inside these values, so text is also the cheapest to write.
    """

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else dumps(value)

    def value_to_string(self, obj: models.Model) -> str:
        return str(self.get_prep_value(self.value_from_object(obj)))
