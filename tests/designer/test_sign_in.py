import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings

pytestmark = pytest.mark.django_db
WRONG = {"username": "mara", "password": "tomato"}


@pytest.fixture
def mara() -> User:
    return User.objects.create_user("mara", password="correct horse battery")


def test_the_right_password_leads_to_the_page_that_was_asked_for(client: Client, mara):
    response = client.post("/sign-in", {"username": "mara", "password": "correct horse battery", "next": "/runs"})
    assert response["Location"] == "/runs"


def test_the_way_on_never_leads_elsewhere(client: Client, mara):
    answers = {"username": "mara", "password": "correct horse battery", "next": "https://example.org"}
    assert client.post("/sign-in", answers)["Location"] == "/"


def test_a_wrong_password_and_an_unknown_name_are_told_alike(client: Client, mara):
    wrong = client.post("/sign-in", WRONG).content.decode()
    unknown = client.post("/sign-in", {**WRONG, "username": "nobody"}).content.decode()
    assert "do not belong together" in wrong
    assert "do not belong together" in unknown


@override_settings(AXES_FAILURE_LIMIT=2)
def test_too_many_tries_are_told_how_long_to_wait(client: Client, mara):
    client.post("/sign-in", WRONG)
    response = client.post("/sign-in", WRONG)
    assert response.status_code == 429
    assert response["Retry-After"] == "900"
    assert "Wait 15 minutes" in response.content.decode()
    right = client.post("/sign-in", {"username": "mara", "password": "correct horse battery"})
    assert right.status_code == 429


@override_settings(AXES_FAILURE_LIMIT=1)
def test_a_program_is_told_in_json(client: Client, mara):
    response = client.post("/sign-in", WRONG, headers={"accept": "application/json"})
    assert response.json()["code"] == "too_many_tries"


def test_the_page_speaks_german(client: Client):
    client.post("/language", {"language": "de", "next": "/sign-in"})
    html = client.get("/sign-in").content.decode()
    assert '<html lang="de">' in html
    assert "Anmelden" in html


def test_signing_out_needs_a_post(client: Client, mara):
    client.force_login(mara, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/sign-out").status_code == 405
    assert client.post("/sign-out")["Location"] == "/sign-in"
