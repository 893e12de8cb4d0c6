import pytest
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest
from django.template.loader import get_template, render_to_string
from django.test import Client, RequestFactory

from designer.toasts import toast


@pytest.mark.parametrize("name", ["400.html", "500.html", "403_csrf.html"])
def test_some_error_pages_need_neither_request_nor_context(name):
    html = get_template(name).render()
    assert 'href="/"' in html
    assert "Sultana" in html


@pytest.mark.django_db
def test_an_address_that_leads_nowhere_says_so(client: Client):
    response = client.get("/no/such/page")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_form_without_its_token_is_told_what_to_do():
    response = Client(enforce_csrf_checks=True).post("/tastes", {"theme": "dark"})
    assert response.status_code == 403
    assert "This form is too old" in response.content.decode()


@pytest.fixture
def request_with_messages() -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.session = SessionStore()
    setattr(request, "_messages", FallbackStorage(request))  # noqa: B010 - no attribute of its own
    return request


def test_a_toast_offers_to_take_it_back(request_with_messages):
    toast(request_with_messages, "Archived <Order>.", undo="/flows/7/restore")
    html = render_to_string("404.html", request=request_with_messages)
    assert "Archived &lt;Order&gt;." in html
    assert 'action="/flows/7/restore"' in html
    assert "data-fades" in html


def test_an_error_stays_until_it_is_closed(request_with_messages):
    toast(request_with_messages, "It could not be saved.", level=messages.ERROR)
    html = render_to_string("404.html", request=request_with_messages)
    assert 'class="toast tone-red"' in html
    assert "data-fades" not in html
