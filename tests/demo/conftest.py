"""The demo as people meet it: seeded, and its functions called like the engine calls them."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.apps import apps
from jsonschema import Draft202012Validator

from demo import functions as functions
from demo.seed import seed
from flows import registry

Call = Callable[..., Any]
Snapshot = dict[str, list[dict[str, Any]]]


@pytest.fixture
def seeded(db, settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    seed()


@pytest.fixture
def call(seeded) -> Call:
    """``call(path, arguments, key=...)``: the output. Arguments and output must meet the manifest's schemas."""
    keys = count(1)

    def make(path: str, arguments: dict[str, Any], *, key: str | None = None) -> Any:
        found = registry.find(path)
        assert found is not None, path
        Draft202012Validator(found.manifest["input_schema"]).validate(arguments)
        output = found.call(arguments, context(key or f"key-{next(keys)}"))
        Draft202012Validator(found.manifest["output_schema"]).validate(output)
        return output

    return make


@pytest.fixture
def rows(db) -> Callable[[], Snapshot]:
    """``rows()``: every row of every demo table, to compare before and after."""
    models = apps.get_app_config("demo").get_models()
    tables = {model.__name__: model._default_manager for model in models}
    return lambda: {name: list(table.order_by("pk").values()) for name, table in tables.items()}


def context(key: str) -> registry.CallContext:
    return registry.CallContext(instance_id="run-1", node_id="step", visit=1, attempt=1, idempotency_key=key)
