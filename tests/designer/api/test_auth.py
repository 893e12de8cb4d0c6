"""Signing in: tokens that expire, are renewed and revoked; sessions with CSRF."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from designer import tokens
from designer.models import ApiToken
from tests.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db

SIGN_IN = "/api/raisindb/sys/default/auth"
SCHEMA = "/api/schema"


@pytest.fixture
def alice():
    return UserFactory(username="alice")


def sign_in(client, password=PASSWORD, username="alice"):
    return client.post(SIGN_IN, {"username": username, "password": password}, format="json")


def with_token(token):
    return APIClient(headers={"Authorization": f"Bearer {token}"})


def test_a_name_and_a_password_give_a_pair_of_tokens(alice):
    answer = sign_in(APIClient())
    assert answer.status_code == 200
    assert set(answer.data) == {"access_token", "refresh_token", "token_type", "expires_in"}
    assert (answer.data["token_type"], answer.data["expires_in"]) == ("Bearer", 3600)
    assert answer["Cache-Control"] == "no-store"
    assert with_token(answer.data["access_token"]).get(SCHEMA).status_code == 200


def test_only_digests_are_kept(alice):
    pair = tokens.issue(alice)
    stored = ApiToken.objects.values_list().get()
    assert not {pair.access, pair.refresh} & {str(value) for value in stored}


@pytest.mark.parametrize(("username", "password"), [("alice", "wrong"), ("nobody", PASSWORD)])
def test_wrong_credentials_do_not_say_which_part_is_wrong(alice, username, password):
    answer = sign_in(APIClient(), password, username)
    assert (answer.status_code, answer.data["code"]) == (401, "invalid_credentials")


def test_somebody_who_left_cannot_sign_in():
    UserFactory(username="alice", is_active=False)
    assert sign_in(APIClient()).status_code == 401


def test_an_unknown_tenant_is_not_found(alice):
    answer = APIClient().post(SIGN_IN.replace("default", "other"), {}, format="json")
    assert (answer.status_code, answer.data["code"]) == (404, "not_found")


def test_too_many_failures_lock_the_name_out_with_our_shape(alice, settings):
    settings.AXES_FAILURE_LIMIT = 2
    client = APIClient()
    codes = [sign_in(client, "wrong").data["code"] for _ in range(3)]
    answer = sign_in(client)
    assert codes[0] == "invalid_credentials"
    assert (answer.status_code, answer.json()["code"]) == (429, "throttled")
    assert int(answer["Retry-After"]) == 900


def test_a_refresh_token_gives_a_new_pair_once(alice):
    old = tokens.issue(alice)
    url = f"{SIGN_IN}/refresh"
    answer = APIClient().post(url, {"refresh_token": old.refresh}, format="json")
    assert answer.status_code == 200
    assert with_token(answer.data["access_token"]).get(SCHEMA).status_code == 200
    assert with_token(old.access).get(SCHEMA).status_code == 401
    again = APIClient().post(url, {"refresh_token": old.refresh}, format="json")
    assert (again.status_code, again.data["code"]) == (401, "invalid_token")


def test_an_access_token_expires_and_can_then_be_renewed(alice, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    pair = tokens.issue(alice)
    time_machine.shift(settings.API_TOKEN_LIFETIME)
    answer = with_token(pair.access).get(SCHEMA)
    assert (answer.status_code, answer.data["code"]) == (401, "invalid_token")
    assert tokens.renew(pair.refresh) is not None


def test_a_refresh_token_expires_and_its_row_goes_with_the_next_sign_in(alice, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    pair = tokens.issue(alice)
    time_machine.shift(settings.API_REFRESH_LIFETIME)
    assert tokens.renew(pair.refresh) is None
    tokens.issue(alice)
    assert ApiToken.objects.filter(user=alice).count() == 1


def test_a_revoked_token_neither_works_nor_renews(alice):
    pair = tokens.issue(alice)
    assert [tokens.revoke(ApiToken.objects.all()) for _ in range(2)] == [1, 0]
    assert with_token(pair.access).get(SCHEMA).status_code == 401
    assert tokens.renew(pair.refresh) is None


def test_a_new_password_ends_the_tokens(alice):
    pair = tokens.issue(alice)
    alice.set_password("another good password")
    alice.save()
    assert tokens.find(pair.access) is None
    assert tokens.renew(pair.refresh) is None


def test_somebody_deactivated_is_out_at_once(alice):
    pair = tokens.issue(alice)
    alice.is_active = False
    alice.save()
    assert with_token(pair.access).get(SCHEMA).status_code == 401


def test_using_a_token_is_noted_at_most_once_a_minute(alice, django_assert_num_queries):
    pair = tokens.issue(alice)
    tokens.find(pair.access)
    assert ApiToken.objects.filter(used_at__gt=timezone.now() - timedelta(seconds=30)).exists()
    with django_assert_num_queries(1):
        tokens.find(pair.access)


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer x y", "Bearer \xff", "bearer wrong"])
def test_a_token_that_is_none_is_refused(header, db):
    answer = APIClient(headers={"Authorization": header}).get(SCHEMA)
    assert (answer.status_code, answer.data["code"]) == (401, "invalid_token")


@pytest.mark.parametrize("header", [None, "Basic YTpi", "", "Token abc"])
def test_without_a_token_or_session_the_answer_is_401_with_a_challenge(header, db):
    answer = APIClient(headers={"Authorization": header} if header is not None else {}).get(SCHEMA)
    assert (answer.status_code, answer.data["code"]) == (401, "not_signed_in")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_session_reads_freely_and_writes_only_with_the_csrf_token(alice):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.get(SCHEMA).status_code == 200
    answer = client.post("/api/nowhere", {}, format="json")
    assert (answer.status_code, answer.data["code"]) == (403, "forbidden")
    assert "CSRF" in answer.data["message"]


def test_an_administrator_revokes_tokens_in_the_admin(client, alice):
    tokens.issue(alice)
    client.force_login(UserFactory(is_staff=True, groups=["Administrators"]))
    url = "/admin/designer/apitoken/"
    token = ApiToken.objects.get()
    assert client.get(url).status_code == client.get(f"{url}{token.pk}/change/").status_code == 200
    answer = client.post(url, {"action": "revoke_selected", "_selected_action": [token.pk]}, follow=True)
    assert b"1 API token was revoked." in answer.content
    token.refresh_from_db()
    assert token.revoked_at is not None
