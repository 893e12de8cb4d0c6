import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from designer import frame
from designer.middleware import reader_time_zone

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(
        User.objects.create_user("mara", is_staff=True), backend="django.contrib.auth.backends.ModelBackend"
    )
    return client


@pytest.mark.urls("tests.browser.urls")
def test_the_rail_knows_which_item_a_page_belongs_to():
    current = [entry["item"].url_name for entry in frame.rail("/run-list/17/") if entry["current"]]
    assert current == ["run-list"]


@pytest.mark.urls("designer.urls")
def test_the_rail_leaves_out_pages_that_do_not_exist(monkeypatch):
    monkeypatch.setattr(frame, "RAIL", (frame.RailItem("sign-in", "There", "x"), frame.RailItem("nowhere", "Not", "x")))
    assert [entry["item"].word for entry in frame.rail("/")] == ["There"]


def test_the_taste_is_kept_in_cookies(client: Client):
    response = client.post("/tastes", {"theme": "dark", "next": "/sign-in"})
    assert response["Location"] == "/sign-in"
    assert 'data-theme="dark"' in client.get("/sign-in").content.decode()


def test_a_taste_nobody_offered_is_refused(client: Client):
    assert client.post("/tastes", {"theme": "pink"}).status_code == 400
    client.cookies["theme"] = '"><script>'
    assert "script>" not in client.get("/sign-in").content.decode().split("<head>")[0]


@pytest.mark.parametrize("url", ["https://example.org/", "//example.org", "javascript:alert(1)", ""])
def test_the_way_back_never_leads_elsewhere(client: Client, url):
    assert client.post("/tastes", {"theme": "dark", "next": url})["Location"] == "/"


def test_a_taste_is_only_taken_by_post(client: Client):
    assert client.get("/tastes").status_code == 405


def test_the_style_guide_is_for_staff(client: Client, staff: Client):
    assert staff.get("/style-guide").status_code == 200
    assert Client().get("/style-guide").status_code == 404
    with override_settings(DEBUG=True):
        assert Client().get("/style-guide").status_code == 200


def test_pages_load_nothing_inline_and_nothing_from_elsewhere(staff: Client):
    response = staff.get("/style-guide")
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["script-src"] == policy["style-src"] == policy["default-src"] == "'self'"
    html = response.content.decode()
    assert " style=" not in html
    assert " onclick=" not in html
    assert "<script>" not in html
    assert "//" not in html.replace('xmlns="http://www.w3.org', "")


@pytest.mark.parametrize(
    ("cookie", "zone"), [("Europe/Berlin", "Europe/Berlin"), ("../../etc/passwd", "UTC"), ("Moon/Crater", "UTC")]
)
def test_times_are_shown_in_the_readers_zone(cookie, zone):
    seen = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(timezone.get_current_timezone_name())
        return HttpResponse()

    request = RequestFactory().get("/")
    request.COOKIES["timezone"] = cookie
    reader_time_zone(view)(request)
    assert seen == [zone]


def test_style_sheets_are_served_without_collecting_them_first(client: Client):
    response = client.get("/static/css/variables.css")
    assert response.status_code == 200
    assert b"--accent" in b"".join(response)
