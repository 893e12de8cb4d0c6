"""Secrets are sealed with the signing key, and opened by name alone."""

import pytest
from django.core import serializers

from flows.models import Secret
from flows.secrets import KeyUnavailable, key_of, seal, unseal

VALUE = "sk-very-secret-ß"


def test_a_sealed_value_can_be_opened_and_does_not_show_itself():
    sealed = seal(VALUE)
    assert unseal(sealed) == VALUE
    assert VALUE not in sealed
    assert seal(VALUE) != sealed


def test_the_signing_key_can_be_changed_as_long_as_the_old_one_is_kept(settings):
    sealed = seal(VALUE)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert unseal(sealed) == VALUE
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(KeyUnavailable, match="Enter its value again"):
        unseal(sealed)


@pytest.mark.parametrize("sealed", ["", "abc", "é", "gAAAAA"])
def test_a_torn_value_is_not_opened(sealed):
    with pytest.raises(KeyUnavailable):
        unseal(sealed)


@pytest.mark.django_db
def test_a_key_is_had_by_the_name_of_its_secret():
    secret = Secret(name="openai")
    secret.put(VALUE)
    secret.save()
    assert key_of("secret:openai") == VALUE
    with pytest.raises(KeyUnavailable, match="no secret other"):
        key_of("secret:other")


def test_a_key_is_had_by_the_name_of_its_variable(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", VALUE)
    assert key_of("env:SOME_API_KEY") == VALUE
    monkeypatch.setenv("SOME_API_KEY", "")
    with pytest.raises(KeyUnavailable, match="SOME_API_KEY is not set"):
        key_of("env:SOME_API_KEY")
    assert key_of("") == ""


@pytest.mark.django_db
def test_an_export_holds_no_value():
    secret = Secret(name="openai")
    secret.put(VALUE)
    secret.save()
    assert VALUE not in serializers.serialize("json", Secret.objects.all()) + repr(secret) + str(secret)
