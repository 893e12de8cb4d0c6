"""The schema describes what is there, and the tool that makes it has nothing to warn about."""

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase
from hypothesis import settings as bounded
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from engine.states import Status
from tests.designer.api.conftest import bearer
from tests.designer.api.flows import published
from tests.factories import InboxTaskFactory, InstanceFactory, UserFactory

SCHEMA = "/api/schema"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_the_schema_is_valid_and_made_without_warnings(tmp_path):
    GENERATOR_STATS.reset()
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_the_schema_is_served_as_json(signed_in):
    answer = signed_in().get(SCHEMA, headers={"accept": "text/html"})
    assert answer.json()["openapi"].startswith("3.")


@pytest.fixture
def world(db, settings):
    """What there is to be asked for: ``(headers, path parameters)``.

    The real application would close the connection whose transaction holds these rows: it is kept from that.
    """
    headers = bearer(UserFactory(is_superuser=True))
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # many wrong ones are tried
    published(path="/")
    run = InstanceFactory(status=Status.WAITING)
    known = {"repo": "default", "tenant": "default", "instance_id": run.pk, "reference": InboxTaskFactory().pk}
    ends = (request_started, request_finished)
    for end in ends:
        end.disconnect(close_old_connections)
    yield headers, known
    for end in ends:
        end.connect(close_old_connections)


described = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
described.app = get_wsgi_application()


@described.exclude(path_regex="/events$").parametrize()  # the stream has no end; it is tried elsewhere
@pytest.mark.parametrize("exists", [True, False])
@bounded(
    max_examples=5,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_that_fits_or_does_not_breaks_the_api(case, exists, world):
    headers, known = world
    if exists:
        case.path_parameters = {name: str(known[name]) for name in case.path_parameters}
    case.call_and_validate(headers=headers, checks=CHECKS)
