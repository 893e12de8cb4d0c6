"""The database that scenarios have to themselves."""

from pathlib import Path

import psycopg
import pytest
from django.db import connection

from engine.models import Instance
from engine.scenarios.database import own_database
from engine.scenarios.errors import NoDatabase

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_it_is_another_one_with_every_table_and_gone_after_a_fault_too(kind) -> None:
    before = connection.settings_dict["NAME"]
    with pytest.raises(ZeroDivisionError), own_database(kind):
        within = connection.settings_dict
        assert (within["NAME"] != before, Instance.objects.count()) == (True, 0)
        assert connection.vendor == {"sqlite": "sqlite", "postgres": "postgresql"}[kind]
        raise ZeroDivisionError
    assert (connection.settings_dict["NAME"], Instance.objects.count()) == (before, 0)
    if kind == "sqlite":
        assert not Path(within["NAME"]).parent.exists()


def test_a_server_that_does_not_answer_is_told() -> None:
    with pytest.raises(NoDatabase, match="No database can be made"), own_database("postgres://nobody@127.0.0.1:1/none"):
        pytest.fail("there is no such server")


@pytest.mark.postgres
def test_the_database_on_a_server_is_dropped(vendor) -> None:
    if vendor != "postgresql":
        pytest.skip("needs the server of a PostgreSQL run")
    server = connection.settings_dict
    url = f"postgres://{server['USER']}@{server['HOST']}:{server['PORT']}/postgres"
    with own_database(url):
        name = connection.settings_dict["NAME"]
    with psycopg.connect(url) as session:
        found = session.execute("SELECT count(*) FROM pg_database WHERE datname = %s", [name]).fetchone()
    assert found == (0,)
