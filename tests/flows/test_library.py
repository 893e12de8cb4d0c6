from time import monotonic

import pytest
from django.core.management import call_command

from flows import library, registry
from flows.apps import check_manifests
from flows.doctor import check
from flows.library import CodeLibrary, DatabaseLibrary
from flows.models import Agent, LibraryFunction, Workspace
from flows.publishing import import_flow
from flows.registry import function
from tests.flows.doctor.cases import flow, step
from tests.flows.texts import ASK

PATH = "/test/library/act"


@pytest.fixture(autouse=True)
def _own_functions():
    """What a test registers is gone after it."""
    kept = dict(registry._functions)
    yield
    registry._functions.clear()
    registry._functions.update(kept)


def register(path: str = PATH, **manifest: object) -> None:
    @function(path, **manifest)
    def act(arguments, ctx):
        return arguments


@pytest.mark.django_db
def test_a_sync_stores_what_is_registered_and_is_safe_to_repeat():
    register(title="Act", effect="read")
    assert PATH in library.sync().added
    row = LibraryFunction.objects.get(path=PATH)
    assert (row.title, row.manifest, row.has_manifest, row.available) == (
        "Act",
        {"title": "Act", "effect": "read"},
        True,
        True,
    )
    again = library.sync()
    assert (again.added, again.changed, again.gone) == ([], [], [])


@pytest.mark.django_db
def test_a_sync_keeps_what_administrators_changed():
    register(effect="read")
    library.sync()
    LibraryFunction.objects.filter(path=PATH).update(override={"effect": "write"})
    registry._functions.pop(PATH)
    register(effect="read", idempotent=True)
    assert library.sync().changed == [PATH]
    row = LibraryFunction.objects.get(path=PATH)
    assert (row.manifest["idempotent"], row.override) == (True, {"effect": "write"})


@pytest.mark.django_db
def test_a_function_whose_code_is_gone_is_kept_as_not_available():
    register()
    library.sync()
    registry._functions.pop(PATH)
    assert library.sync().gone == [PATH]
    assert not LibraryFunction.objects.get(path=PATH).available
    assert PATH not in [row.path for row in LibraryFunction.objects.available()]
    register()
    assert library.sync().changed == [PATH]


@pytest.mark.django_db
def test_a_manifest_that_is_not_valid_is_reported_and_not_used():
    register(effect="rite", retry={"max_retries": {1, 2}})
    problems = library.sync().problems
    assert problems and all(problem.startswith(f"{PATH}: ") for problem in problems)
    assert library.manifest_of(PATH) is None
    assert not LibraryFunction.objects.get(path=PATH).has_manifest
    assert [each.id for each in check_manifests()] == ["flows.W001"] * len(problems)


@pytest.mark.django_db
def test_a_manifest_is_looked_up_with_what_administrators_changed():
    register(effect="read", idempotent=True)
    assert library.manifest_of(PATH) == {"effect": "read", "idempotent": True}
    LibraryFunction.objects.create(path=PATH, override={"effect": "write"})
    assert library.manifest_of(PATH) == {"effect": "write", "idempotent": True}
    LibraryFunction.objects.get(path=PATH).delete()
    assert library.manifest_of(PATH) == {"effect": "read", "idempotent": True}
    assert library.manifest_of("/test/library/nowhere") is None


@pytest.mark.django_db
def test_a_function_without_a_manifest_has_none():
    register()
    assert library.manifest_of(PATH) is None


@pytest.mark.django_db
def test_looking_a_manifest_up_asks_the_database_once_in_a_while(
    django_assert_num_queries, django_assert_max_num_queries
):
    register(effect="read")
    with django_assert_max_num_queries(2):
        library.manifest_of(PATH)
    with django_assert_num_queries(0):
        for _ in range(100):
            library.manifest_of(PATH)


@pytest.mark.django_db
def test_another_process_is_seen_after_a_few_seconds(monkeypatch):
    register(effect="read")
    library.manifest_of(PATH)
    LibraryFunction.objects.bulk_create([LibraryFunction(path=PATH, override={"effect": "write"})])  # sends no signal
    assert library.manifest_of(PATH) == {"effect": "read"}
    later = monotonic() + library.REFRESH_SECONDS
    monkeypatch.setattr("flows.library.monotonic", lambda: later)
    assert library.manifest_of(PATH) == {"effect": "write"}


@pytest.mark.django_db(transaction=True)
def test_migrating_fills_the_library_and_makes_the_default_workspace():
    register(effect="read")
    Workspace.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert LibraryFunction.objects.filter(path=PATH).exists()
    assert Workspace.objects.filter(slug="default").exists()


def test_the_doctor_asks_the_tables(workspace, ida):
    register(effect="write")
    Agent.objects.create(path="/agents/clerk")
    import_flow(workspace, ASK, by=ida, publish=True)
    known = DatabaseLibrary(workspace.pk)
    assert [known.has_function(path) for path in (PATH, "/nowhere")] == [True, False]
    assert [known.has_agent(path) for path in ("/agents/clerk", "/nowhere")] == [True, False]
    assert [known.has_flow(path) for path in ("/flows/ask", "/nowhere")] == [True, False]
    assert [each["id"] for each in (known.definition("/flows/ask") or {})["nodes"]] == ["question"]
    assert known.definition("/nowhere") is None
    definition = flow(step("a", function_ref="/agents/clerk"), step("b", function_ref="/nowhere"))
    assert [each.code for each in check(definition, library=known)] == ["FUNCTION_NOT_A_FUNCTION", "FUNCTION_NOT_FOUND"]


def test_the_doctor_can_do_with_the_code_alone():
    register(effect="write")
    known = CodeLibrary({"/flows/a": {"nodes": []}})
    assert (known.has_function(PATH), known.has_function("/nowhere")) == (True, False)
    assert (known.manifest(PATH), known.manifest("/nowhere")) == ({"effect": "write"}, None)
    assert (known.has_flow("/flows/a"), known.has_flow("/flows/b"), known.has_agent("/agents/a")) == (True, None, None)
