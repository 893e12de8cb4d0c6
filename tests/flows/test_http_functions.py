"""How HTTP functions are set up: what may stand in them, and that the library and the doctor know them."""

import pytest
from django.core.exceptions import ValidationError

from flows import library, registry
from flows.doctor import check
from flows.library import DatabaseLibrary
from flows.models import HttpFunction, LibraryFunction
from flows.publishing import import_flow
from flows.registry import Registered
from tests.flows.doctor.cases import flow, step
from tests.flows.texts import calling

PATH = "/shop/orders/find"
URL = "https://shop.example.org/orders/{{ arguments.order }}"
pytestmark = pytest.mark.django_db


def made(**fields):
    function = HttpFunction(
        **{"path": PATH, "title": "Find an order", "url": URL, "manifest": {"effect": "read"}} | fields
    )
    function.full_clean()
    function.save()
    return function


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"path": "shop"}, "__all__", "A path looks like"),
        ({"path": "/agents/clerk"}, "__all__", "A path looks like"),
        ({"url": "ftp://shop.example.org/"}, "url", "no address"),
        ({"url": "https://ida:pw@shop.example.org/"}, "url", "no address"),
        ({"url": "https://shop.example.org/a b"}, "url", "no address"),
        ({"url": "https://shop.example.org:port/"}, "url", "no address"),
        ({"url": "https://{{ arguments.host }}/orders"}, "url", "Write the host out"),
        ({"url": "https://shop.example.org:{{ arguments.port }}/"}, "url", "Write the host out"),
        ({"url": "https://shop.example.org{{ arguments.rest }}/"}, "url", "Write the host out"),
        ({"url": "https://shop.example.org/{{ 1 + }}"}, "url", ""),
        ({"url": "https://shop.example.org/{{ order }}"}, "url", "write arguments.order"),
        ({"headers": ["a"]}, "headers", "Headers are a map"),
        ({"headers": {"A b": "x"}}, "headers", "no name of a header"),
        ({"headers": {"Host": "x"}}, "headers", "set by Sultana"),
        ({"headers": {"Authorization": "Bearer abc"}}, "headers", "Authorization holds a secret"),
        ({"headers": {"X-Api-Key": "{{ arguments.key }}"}}, "headers", "X-Api-Key holds a secret"),
        ({"headers": {"X-Key": "env:SULTANA_SECRET_KEY"}}, "headers", "Name the key"),
        ({"headers": {"X-A": "{{ secrets.a }}"}}, "headers", "write arguments.secrets"),
        ({"query": ["a"]}, "query", "A query is a map"),
        ({"query": {"a": "{{ ( }}"}}, "query", ""),
        ({"body": {"a": "{{ input.a }}"}}, "body", "write arguments.input"),
        ({"method": "GET", "body": "{{ arguments }}"}, "body", "has no body"),
        ({"method": "FETCH"}, "method", ""),
        ({"unknown_statuses": [200]}, "unknown_statuses", "from 400 on"),
        ({"unknown_statuses": ["3xx"]}, "unknown_statuses", "from 400 on"),
        ({"response_headers": ["Set-Cookie"]}, "response_headers", "Cookies are secrets"),
        ({"response_headers": "ETag"}, "response_headers", "list of names"),
        ({"timeout_seconds": 0}, "timeout_seconds", ""),
        ({"idempotency_header": "a b"}, "idempotency_header", "no name of a header"),
        ({"manifest": {"effect": "rite"}}, "manifest", "effect"),
        (
            {"manifest": {"idempotent": True}, "idempotency_header": "Idempotency-Key"},
            "manifest",
            "Name in idempotency_param",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(fields, field, words):
    with pytest.raises(ValidationError) as refused:
        made(**fields)
    assert words in str(refused.value.message_dict[field])


def test_a_whole_one_is_taken():
    made(
        method="PUT",
        headers={"Authorization": "Bearer secret:shop", "X-Api-Key": "env:SHOP_API_KEY", "X-Lang": "de"},
        query={"page": "{{ arguments.page }}", "size": 50},
        body={"lines": "{{ arguments.lines }}"},
        idempotency_header="Idempotency-Key",
        unknown_statuses=[502, "5xx"],
        response_headers=["ETag"],
        manifest={"effect": "write", "idempotent": True, "idempotency_param": "ref"},
    )


@pytest.mark.parametrize(
    ("method", "effect"), [("GET", "read"), ("HEAD", "read"), ("POST", "write"), ("DELETE", "write")]
)
def test_a_manifest_that_is_silent_gets_the_effect_of_the_method(method, effect):
    assert made(method=method, manifest={"title": "It"}).manifest["effect"] == effect


def test_a_path_names_one_function(monkeypatch):
    monkeypatch.setitem(registry._functions, PATH, Registered(PATH, lambda arguments, ctx: 1, {}))
    with pytest.raises(ValidationError, match="A function of the code has this path"):
        made()
    monkeypatch.delitem(registry._functions, PATH)
    LibraryFunction.objects.create(path=PATH, available=False)
    with pytest.raises(ValidationError, match="already exists"):
        made()


def test_code_that_takes_its_path_is_reported_and_changes_nothing(monkeypatch):
    made()
    monkeypatch.setitem(registry._functions, PATH, Registered(PATH, lambda arguments, ctx: 1, {"effect": "write"}))
    report = library.sync()
    assert report.problems == [library.TAKEN_TWICE.format(PATH)]
    assert LibraryFunction.objects.get(path=PATH).manifest == {"effect": "read"}


def test_a_library_that_is_brought_up_to_date_keeps_it():
    made()
    assert PATH not in library.sync().gone
    assert HttpFunction.objects.get().available


def test_its_manifest_is_known_at_once_and_after_each_change():
    assert (library.manifest_of(PATH), library.is_http(PATH)) == (None, False)
    function = made()
    assert (library.manifest_of(PATH), library.is_http(PATH)) == ({"effect": "read"}, True)
    function.manifest = {"effect": "write"}
    function.save()
    assert library.manifest_of(PATH) == {"effect": "write"}
    function.delete()
    assert (library.manifest_of(PATH), library.is_http(PATH)) == (None, False)


def test_the_doctor_knows_it(workspace):
    function = made(manifest={"effect": "write"})
    unsafe = flow(step("a", function_ref=PATH, on_unknown="retry"))
    codes = [each.code for each in check(unsafe, library=DatabaseLibrary(workspace.pk))]
    assert "ON_UNKNOWN_RETRY_NOT_IDEMPOTENT" in codes and "FUNCTION_NOT_FOUND" not in codes
    function.available = False
    function.save()
    assert "FUNCTION_NOT_FOUND" in [each.code for each in check(unsafe, library=DatabaseLibrary(workspace.pk))]


def test_a_published_version_keeps_what_its_manifest_says(workspace, ida):
    made(manifest={"effect": "write", "idempotent": True})
    import_flow(workspace, calling(PATH), by=ida, publish=True)
    version = workspace.flows.get().versions.get()
    assert version.graph["manifests"][PATH]["idempotent"] is True
