"""HTTP functions before a real server, which may serve badly: what they send, and what they make of the answer."""

import json
import logging
import socket
from datetime import UTC, datetime
from email.utils import format_datetime
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

import pytest

from engine.executors.dispatch import Dispatcher
from engine.executors.http import HttpExecutor
from engine.executors.http_hosts import is_public
from engine.executors.mocks import MockingExecutor
from engine.outcomes import Failed, Succeeded, TimedOut, Unknown
from flows import registry
from flows.models import HttpFunction, Secret
from flows.registry import Registered
from tests.engine.executors.conftest import Clock, http_function
from tests.engine.executors.http_server import drops, floods, gives, hangs, raw, works, writes

KEY = "very-secret-0123456789"
READ = {"effect": "read"}


@pytest.fixture
def secret(db):
    row = Secret(name="shop")
    row.put(KEY)
    row.save()
    return {"headers": {"Authorization": "Bearer secret:shop"}}


def code_of(result):
    assert isinstance(result, Failed), result
    return result.code


def doubt_of(result):
    assert isinstance(result, Unknown), result
    return result.code


# --- what is sent ------------------------------------------------------------------------------------------------


def test_the_arguments_fill_address_query_headers_and_body(send):
    it = send(
        gives({"id": 7}, 201),
        path="/orders/{{ arguments.order }}?v=1",
        method="PUT",
        query={"tag": "{{ arguments.tags }}", "none": "{{ arguments.none }}", "dry": True},
        headers={"X-Shop": "shop {{ arguments.order }}"},
        body={"n": "{{ arguments.n }}", "fixed": "yes"},
    )
    result = it(order="a/b ?", tags=["x", "y"], none=None, n=1.5)
    assert result == Succeeded({"status": 201, "body": {"id": 7}})
    parts = urlsplit(it.request.path)
    assert (it.request.command, parts.path) == ("PUT", "/orders/a%2Fb%20%3F")
    assert parse_qs(parts.query) == {"v": ["1"], "tag": ["x", "y"], "dry": ["true"]}
    assert it.request.json == {"n": 1.5, "fixed": "yes"}
    assert (it.request.headers["X-Shop"], it.request.headers["Content-Type"]) == ("shop a/b ?", "application/json")
    assert it.request.headers["Host"] == f"127.0.0.1:{it.server.server_port}"


def test_a_form_is_sent_as_one_and_a_text_as_it_is(send):
    form = send(gives(1), headers={"Content-Type": "application/x-www-form-urlencoded"})
    form(a="1 2", b=[3, 4])
    assert form.request.body == b"a=1+2&b=3&b=4"
    form.function.headers, form.function.body = {"Content-Type": "text/plain"}, "Hi {{ arguments.a }}"
    form.function.save()
    form(a="Ida")
    assert form.request.body == b"Hi Ida"


@pytest.mark.parametrize("value", ["", None, "..", ".", ["a"], {"a": 1}])
def test_an_argument_cannot_lead_the_address_elsewhere(send, value):
    it = send(gives(1), path="/orders/{{ arguments.order }}/lines")
    assert code_of(it(order=value)) == "invalid_arguments"
    assert it.server.requests == []


def test_arguments_that_fit_no_header_or_not_the_schema_send_nothing(send):
    it = send(gives(1), headers={"X-A": "{{ arguments.a }}"})
    assert [code_of(it(a=value)) for value in ("a\r\nX-B: b", "ß", ["a"])] == ["invalid_arguments"] * 3
    it.function.manifest = {"effect": "write", "input_schema": {"required": ["b"]}}
    it.function.save()
    assert "do not fit /http/it" in it(a="a").message
    assert it.server.requests == []


def test_a_header_whose_argument_is_missing_is_left_out(send):
    it = send(gives(1), headers={"X-A": "{{ arguments.a }}"})
    it()
    assert "X-A" not in it.request.headers


def test_the_idempotency_header_carries_the_steps_key_and_else_that_of_the_call(send):
    it = send(gives(1), idempotency_header="Idempotency-Key", manifest={"effect": "write", "idempotency_param": "ref"})
    it(ref="order-7")
    assert it.request.headers["Idempotency-Key"] == "order-7"
    it()
    assert it.request.headers["Idempotency-Key"] == "run:1"


# --- secrets -----------------------------------------------------------------------------------------------------


def test_a_secret_is_sent_and_seen_nowhere_else(send, secret, caplog):
    caplog.set_level(logging.DEBUG)
    echo = {"you": f"Bearer {KEY}", KEY: [KEY]}
    it = send(gives(echo, ETag=KEY), gives({"message": f"bad {KEY}"}, 403), response_headers=["etag"], **secret)
    results = [it(), it()]
    assert it.request.headers["Authorization"] == f"Bearer {KEY}"
    assert results[0].output["body"] == {"you": "Bearer ***", "***": ["***"]}
    assert results[1].message == "The server answered 403: bad ***"
    assert KEY not in repr(results) and KEY not in caplog.text


def test_garbage_that_quotes_a_secret_is_masked(send, secret):
    result = send(raw(f"{KEY} {KEY}\r\n\r\n"), **secret)()
    assert doubt_of(result) == "connection_lost"
    assert KEY not in result.message


def test_a_secret_that_is_missing_or_cannot_be_sent_sends_nothing(send, secret, monkeypatch):
    it = send(gives(1), headers={"X-Token": "env:SHOP_TOKEN"})
    assert code_of(it()) == "missing_key"
    monkeypatch.setenv("SHOP_TOKEN", f"{KEY}\nX-Other: 1")
    result = it()
    assert code_of(result) == "invalid_arguments"
    assert KEY not in repr(result) and it.server.requests == []


# --- answers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "body"),
    [
        ("application/problem+json; charset=utf-8", '{"a": [1]}', {"a": [1]}),
        ("application/json", "{oops", "{oops"),
        ("application/json", "[NaN]", "[NaN]"),
        ("application/json", "[" * 100_000, "[" * 100_000),
        ("text/plain; charset=latin-1", "caf\xe9".encode("latin-1"), "café"),
        ("text/plain; charset=hex", "zz", "zz"),
        ("image/png", b"\x89PNG\xff\0", "\ufffdPNG\ufffd\0"),
        ("text/plain", "", None),
    ],
)
def test_a_body_is_json_where_the_server_says_so_and_it_is_else_text(send, kind, text, body):
    assert send(writes(text, Content_Type=kind))() == Succeeded({"status": 200, "body": body})


def test_only_the_headers_that_are_asked_for_are_kept(send):
    it = send(gives(1, ETag="7", Set_Cookie="a=b"), response_headers=["ETag", "X-None"])
    assert it().output == {"status": 200, "headers": {"etag": "7"}, "body": 1}


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        (404, {"code": "no_such_order", "message": "Gone."}, "no_such_order", "The server answered 404: Gone."),
        (402, {"error": {"type": "card_declined", "message": "No."}}, "card_declined", "The server answered 402: No."),
        (400, {"error": "invalid_grant"}, "invalid_grant", "The server answered 400: invalid_grant"),
        (422, {"title": "Not so", "code": 7}, "http_422", "The server answered 422: Not so"),
        (500, None, "http_500", "The server answered 500."),
    ],
)
def test_a_refusal_is_a_failure_with_status_code_and_words(send, status, body, code, words):
    result = send(gives(body, status))()
    assert (result.message, result.code, result.status) == (words, code, status)
    assert isinstance(result, Failed)


def test_a_server_says_when_it_may_be_asked_again_in_seconds_or_by_a_date(send):
    soon = format_datetime(datetime(2026, 7, 10, 12, 5, tzinfo=UTC), usegmt=True)
    it = send(
        gives(None, 429, Retry_After="7"), gives(None, 503, Retry_After=soon), gives(None, 429, Retry_After="inf")
    )
    seconds, date, senseless = it(), it(), it()
    assert (seconds.status, seconds.retry_after) == (429, 7.0)
    assert date.retry_after == "2026-07-10T12:05:00Z"
    assert senseless.retry_after is None


def test_a_status_that_leaves_it_open_is_an_unknown_outcome(send):
    it = send(works(gives({"message": "Oops"}, 500)), gives(None, 404), unknown_statuses=["5xx"])
    assert it() == Unknown("The server answered 500: Oops", "http_500", 500)
    assert code_of(it()) == "http_404"


# --- redirects ---------------------------------------------------------------------------------------------------


def test_a_read_follows_redirects_to_the_same_server(send, secret):
    it = send(writes(status=302, Location="/new?a=1"), gives("there"), method="GET", manifest=READ, **secret)
    assert it().output["body"] == "there"
    assert (it.request.path, it.request.headers["Authorization"]) == ("/new?a=1", f"Bearer {KEY}")


def test_a_read_is_not_sent_on_to_another_server_or_for_ever(send):
    other = send(gives("other"))
    other.function.delete()
    it = send(writes(status=302, Location=f"{other.server.url}/x"), method="GET", manifest=READ)
    assert (code_of(it()), other.server.requests) == ("redirected", [])
    it.server.answers[:] = [writes(status=307, Location="/again")]
    assert code_of(it()) == "redirected"


def test_a_write_is_never_sent_on_and_may_have_acted(send):
    it = send(writes(status=303, Location="/done"), writes(status=308, Location="/new"))
    assert doubt_of(it()) == "redirected"
    assert code_of(it()) == "redirected"
    assert len(it.server.requests) == 2


# --- what goes wrong ---------------------------------------------------------------------------------------------


def test_no_connection_is_a_failure_like_any_other(send):
    it = send(gives(1))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        it.function.url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        it.function.save()
        assert code_of(it()) == "connection_failed"


@pytest.mark.parametrize(
    "answer",
    [
        drops,
        raw("HTTP/1.1 200 OK\r\nContent-Le"),
        raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"),
        raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf"),
        raw("\0\x01garbage\r\n\r\n"),
        raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip"),
    ],
)
def test_a_connection_that_breaks_after_sending_leaves_it_open(send, answer):
    it = send(works(answer))
    assert doubt_of(it()) == "connection_lost"
    assert it.server.effects["it"] == 1


@pytest.mark.parametrize(
    "answer", [hangs(), hangs("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"), floods("a", pause=0.05)]
)
def test_an_answer_that_comes_late_leaves_it_open(send, answer):
    it = send(works(answer), timeout_seconds=0.3)
    assert doubt_of(it()) == "timeout"
    assert it.server.effects["it"] == 1


@pytest.mark.django_db(transaction=True)  # an interruption closes the connection
def test_the_calls_own_deadline_interrupts_it(send):
    assert send(hangs()).call(seconds=0.2) == TimedOut()


def test_an_endless_answer_is_cut_off_and_the_server_has_acted(send, settings):
    settings.SULTANA_OUTPUT_LIMIT = 10_000
    it = send(works(floods("a" * 1000)), floods("b" * 1000, status=500))
    result = it()
    assert (doubt_of(result), result.status) == ("invalid_output", 200)
    assert "SULTANA_OUTPUT_LIMIT" in result.message
    failed = it()
    assert (code_of(failed), len(failed.message) < 600) == ("http_500", True)


# --- where it may be sent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]"]
)
def test_what_is_not_public_is_refused_unless_it_is_named(send, settings, host):
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["*"]
    it = send(gives(1))
    it.function.url = f"http://{host}:{it.server.server_port}/"
    it.function.save()
    result = it()
    assert code_of(result) == "host_not_allowed"
    assert "SULTANA_HTTP_ALLOWED_HOSTS" in result.message
    assert it.server.requests == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("fd00::1", False),
        ("fe80::1", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::93.184.216.34", True),
        ("2002:0a00:0001::", False),
        ("::ffff:127.0.0.1", False),
    ],
)
def test_an_address_is_public_when_anybody_could_reach_the_same(address, expected):
    assert is_public(ip_address(address)) is expected


@pytest.mark.parametrize(
    ("allowed", "status"),
    [
        (["localhost"], 200),
        (["*", ".localhost"], 200),
        (["127.0.0.0/8", "::1"], 200),
        (["example.org"], None),
        ([], None),
    ],
)
def test_a_host_is_named_by_its_name_its_domain_or_its_network(send, settings, allowed, status):
    it = send(gives(1))
    it.function.url = f"http://localhost:{it.server.server_port}/"
    it.function.save()
    settings.SULTANA_HTTP_ALLOWED_HOSTS = allowed
    result = it()
    assert result.output["status"] == status if status else code_of(result) == "host_not_allowed"


def test_the_address_that_was_checked_is_the_one_that_is_asked(send, settings, monkeypatch):
    """A name that answers otherwise the second time leads nowhere else."""
    asked = []

    def resolve(host, port, *args, **kwargs):
        asked.append(host)
        return real(host if host == "127.0.0.1" else "127.0.0.1", port, *args, **kwargs)

    real = socket.getaddrinfo
    it = send(gives(1), path="/x")
    it.function.url = f"http://shop.example.org:{it.server.server_port}/x"
    it.function.save()
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert it().output["status"] == 200
    assert asked.count("shop.example.org") == 1
    assert it.request.headers["Host"] == f"shop.example.org:{it.server.server_port}"


# --- in the library ----------------------------------------------------------------------------------------------


def test_a_function_that_is_missing_or_switched_off_is_a_failed_attempt(send):
    it = send(gives(1))
    HttpFunction.objects.update(available=False)
    assert "is switched off" in it().message
    it.function.delete()
    assert "There is no function" in it().message


def test_code_and_an_http_function_at_one_path_are_an_error(send, monkeypatch):
    it = send(gives(1))
    monkeypatch.setitem(registry._functions, "/http/it", Registered("/http/it", lambda arguments, ctx: 1, {}))
    executor = HttpExecutor(Clock())
    dispatcher = Dispatcher(functions=executor, http=executor, agents=executor)
    monkeypatch.setattr(HttpExecutor, "start", dispatcher.start)
    assert code_of(it()) == "function_ambiguous"


@pytest.mark.parametrize(
    ("config", "sent"), [(None, 0), ({"isolated_branch": True}, 0), ({"isolated_branch": False}, 1)]
)
def test_an_isolated_test_run_sends_nothing(send, config, sent):
    it = send(gives(1))
    result = it.call(is_test=True, test_config=config)
    assert isinstance(result, Succeeded) if sent else code_of(result) == "not_sent_in_test"
    assert len(it.server.requests) == sent


def test_a_test_run_mocks_it_like_any_function(send, monkeypatch):
    it = send(gives(1))
    monkeypatch.setattr(HttpExecutor, "start", MockingExecutor(HttpExecutor(Clock()), Clock()).start)
    mock = {"/http/it": {"behavior": "mock_output", "mock_output": {"status": 200}}}
    assert it.call(is_test=True, test_config={"mock_functions": mock}) == Succeeded({"status": 200})
    assert it.server.requests == []


def test_an_agent_may_use_one(send, ask, script):
    it = send(gives({"n": 4}))
    script(
        {"when": "results.length() > 0", "answer": "{{ results[0].body.n }}"},
        {"use": [{"tool": "/http/it", "arguments": {"n": 2}}]},
        tools=["/http/it"],
    )
    assert ask().output["response"] == "4"
    assert json.loads(it.request.body) == {"n": 2}


def test_two_functions_have_two_paths(send):
    send(gives(1))
    with pytest.raises(Exception, match="already exists"):
        http_function("https://shop.example.org/")
