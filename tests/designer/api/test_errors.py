"""Whatever goes wrong, the answer has one shape."""

import json

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.test import Client, RequestFactory
from rest_framework import exceptions
from rest_framework.test import APIClient

from designer.api.errors import handle
from engine.errors import Conflict, Forbidden, InvalidInput, LeaseLost, NotFound
from tests.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db

SIGN_IN = "/api/raisindb/sys/default/auth"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFound("gone"), 404, "not_found"),
        (Forbidden("no"), 403, "forbidden"),
        (Conflict("too late", node="pay"), 409, "conflict"),
        (InvalidInput("bad", field="input", problems=[{"field": "input.a", "message": "x"}]), 400, "invalid_input"),
        (LeaseLost("lost"), 500, "lease_lost"),
        (Http404("nothing"), 404, "not_found"),
        (PermissionDenied("no"), 403, "forbidden"),
        (SuspiciousOperation("bad host"), 400, "malformed_json"),
        (exceptions.Throttled(7), 429, "throttled"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (ZeroDivisionError("secret detail"), 500, "internal_error"),
    ],
)
def test_each_exception_has_its_status_and_code(error, status, code):
    answer = handle(error, {"request": RequestFactory().get("/api/x")})
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert answer.data["message"]
    assert "secret" not in answer.data["message"]


def test_where_it_went_wrong_is_said():
    request = {"request": RequestFactory().get("/api/x")}
    assert handle(Conflict("late", node="pay"), request).data == {"code": "conflict", "message": "late", "node": "pay"}
    problems = [{"field": "input.a", "message": "is missing"}]
    answer = handle(InvalidInput("bad", field="input", problems=problems), request)
    assert (answer.data["field"], answer.data["problems"]) == ("input", problems)


def test_an_unforeseen_error_is_logged_with_its_traceback(caplog):
    handle(ZeroDivisionError("secret detail"), {"request": RequestFactory().get("/api/x")})
    assert caplog.records[0].exc_info[1].args == ("secret detail",)


def test_every_fault_of_a_request_is_listed():
    answer = APIClient().post(SIGN_IN, {"username": "\x00"}, format="json")
    assert (answer.status_code, answer.data["code"], answer.data["field"]) == (400, "invalid_input", "username")
    assert {problem["field"] for problem in answer.data["problems"]} == {"username", "password"}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"{", "line 1, column 2"),
        (b'{"username": NaN}', "NaN is no JSON number"),
        (b'{"username": 1e999}', "too large a number"),
        (b'{"username": "\\ud800"}', "surrogates"),
        (b'{"username": "\xff"}', "invalid start byte"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "digits"),
        (b"[]", "dictionary"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_clear_400(sent, said):
    answer = Client().post(SIGN_IN, sent, content_type="application/json")
    assert answer.status_code == 400
    assert said in answer.json()["message"]


def test_a_body_beyond_all_measure_is_refused():
    sent = json.dumps({"username": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    answer = Client().post(SIGN_IN, sent, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "nonsense"])
def test_anything_but_json_is_refused(content_type):
    answer = Client().post(SIGN_IN, b"{}", content_type=content_type)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-16", "APPLICATION/JSON"])
def test_json_is_utf_8_whatever_its_header_says(content_type):
    UserFactory(username="alice")
    sent = json.dumps({"username": "alice", "password": PASSWORD}).encode()
    assert Client().generic("POST", SIGN_IN, sent, content_type).status_code == 200


def test_the_wrong_method_names_the_right_ones():
    answer = Client().get(SIGN_IN)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert "POST" in answer["Allow"]


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/xml"])
@pytest.mark.parametrize("path", ["/api/", "/api/nowhere", "/api/flows/default/", "/api/flows/a%20b/run"])
def test_an_unknown_path_is_a_404_signed_in_and_a_401_signed_out(signed_in, path, accept):
    assert APIClient().get(path, headers={"accept": accept}).json()["code"] == "not_signed_in"
    answer = signed_in().get(path, headers={"accept": accept})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_error_before_any_view_has_the_shape_too():
    answer = Client(raise_request_exception=False).get("/api/schema", headers={"host": "evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


def test_pages_keep_their_own_errors():
    answer = Client().get("/nowhere")
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (404, "text/html")
