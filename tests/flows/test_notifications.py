"""How notification targets are set up: what may stand in them, and that the library and the doctor know them."""

import pytest
from django.core.exceptions import ValidationError
from django.test import override_settings

from flows.doctor import check
from flows.library import CodeLibrary, DatabaseLibrary
from flows.models import NotificationTarget, Workspace
from flows.notifications import MOST_ADDRESSES
from tests.flows.doctor.cases import flow, step

pytestmark = pytest.mark.django_db
MAIL = {"name": "support-team", "kind": "email", "addresses": "ida@example.org\nben@example.org, ida@example.org"}
HOOK = {"name": "night-desk", "kind": "webhook", "url": "https://chat.example.org/hooks/1?key=2"}


def made(**fields):
    target = NotificationTarget(**fields)
    target.full_clean()
    target.save()
    return target


def test_people_are_told_by_mail_each_once():
    assert made(**MAIL).recipients == ["ida@example.org", "ben@example.org"]


def test_a_webhook_names_its_secrets():
    headers = {"Authorization": "Bearer secret:chat", "X-Team": "support"}
    assert made(**HOOK, headers=headers).headers == headers


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({**MAIL, "name": "Support team"}, "name", "Use small letters"),
        ({**MAIL, "name": ""}, "name", "blank"),
        ({**MAIL, "addresses": "ida@example.org ida"}, "addresses", "ida is no mail address"),
        ({**MAIL, "addresses": "a@example.org\r\nBcc:b@example.org"}, "addresses", "no mail address"),
        ({**MAIL, "addresses": " \n"}, "addresses", "to whom"),
        ({**MAIL, "addresses": ",".join(f"p{n}@example.org" for n in range(MOST_ADDRESSES + 1))}, "addresses", "50"),
        ({**MAIL, "url": HOOK["url"]}, "url", "Only a webhook"),
        ({**MAIL, "headers": {"X-A": "b"}}, "headers", "Only a webhook"),
        ({**MAIL, "kind": "pigeon"}, "kind", "not a valid choice"),
        ({**MAIL, "language": "xx"}, "language", "not a valid choice"),
        ({**HOOK, "url": ""}, "url", "where the webhook listens"),
        ({**HOOK, "url": "chat.example.org"}, "url", "no address"),
        ({**HOOK, "url": "ftp://chat.example.org/"}, "url", "no address"),
        ({**HOOK, "url": "https://ida:pw@chat.example.org/"}, "url", "no address"),
        ({**HOOK, "url": "https://chat.example.org/{{ arguments.x }}"}, "url", "no address"),
        ({**HOOK, "addresses": "ida@example.org"}, "addresses", "Only e-mail"),
        ({**HOOK, "headers": {"Authorization": "abc"}}, "headers", "Authorization holds a secret"),
        ({**HOOK, "headers": {"X-A": "{{ arguments.a }}"}}, "headers", "Nothing can be filled"),
        ({**HOOK, "headers": ["a"]}, "headers", "map of names"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(fields, field, words):
    with pytest.raises(ValidationError) as refused:
        made(**fields)
    assert words in str(refused.value.message_dict[field])


def test_a_name_is_given_once():
    made(**MAIL)
    with pytest.raises(ValidationError, match="already exists"):
        made(**{**HOOK, "name": MAIL["name"]})


@override_settings(LANGUAGE_CODE="de")
def test_people_are_told_in_the_sites_language_unless_another_is_chosen():
    assert (made(**MAIL).language, made(**{**MAIL, "name": "b", "language": "en"}).language) == ("de", "en")


def found(library, notify):
    definition = flow(step("a"), recovery={"notify": notify})
    return [each.message for each in check(definition, library=library) if each.code == "UNKNOWN_NOTIFY_TARGET"]


def test_the_doctor_looks_the_name_up_and_offers_one_that_is_like_it():
    made(**MAIL)
    made(**{**HOOK, "enabled": False})
    library = DatabaseLibrary(Workspace.objects.get(slug="default").pk)
    assert found(library, "support-team") == found(library, "night-desk") == []
    assert "Did you mean 'support-team'?" in found(library, "suport-team")[0]
    assert "Did you mean" not in found(library, "lena")[0]
    assert found(CodeLibrary(), "lena") == []


def test_the_doctor_asks_once_for_all_scopes(django_assert_num_queries):
    made(**MAIL)
    library = DatabaseLibrary(Workspace.objects.get(slug="default").pk)
    with django_assert_num_queries(1):
        assert [library.notification_targets() for _ in range(3)] == [{"support-team"}] * 3
