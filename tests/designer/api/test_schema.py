"""The schema describes what is there, and the tool that makes it has nothing to warn about."""

from django.core.management import call_command
from drf_spectacular.drainage import GENERATOR_STATS

SCHEMA = "/api/schema"


def test_the_schema_is_valid_and_made_without_warnings(tmp_path):
    GENERATOR_STATS.reset()
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_the_schema_is_served_as_json(signed_in):
    answer = signed_in().get(SCHEMA, headers={"accept": "text/html"})
    assert answer.json()["openapi"].startswith("3.")
