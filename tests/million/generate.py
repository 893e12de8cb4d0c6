"""Fills the tables with copies of a few real runs, in SQL: each copy has its own id, input, status and moment.

The distribution is unkind on purpose. What is rare lies where a walk from the newest run meets it last: a retired flow, an
old version, held and failed runs, a person's own runs. One run has thousands of children near the top of the list. Two terms
are those of every run. Visits are copied for all runs; events, attempts and undo records only for the newest ones, whose
pages are measured.
"""

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from django.db import connection, models

from demo.models import StockItem
from engine.models import Attempt, Binding, Compensation, Event, Instance, SearchTerm, Visit
from flows.models import FlowVersion
from tests.designer.pages.real import DECLINED, LARGE, ORDER, demo_flow, run
from tests.factories import FlowFactory, FlowVersionFactory, UserFactory

WITH_EVERYTHING: Final = 20_000
FAN_OUT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Made:
    """How much was written; ``size`` as the database tells it."""

    instances: int
    visits: int
    size: str


def generate(instances: int, visits: int) -> Made:
    """Fill an empty database. Every run gets the same number of visits, as far as its pattern has so many."""
    people = [UserFactory(username="olga", groups=["Operators"]), UserFactory(username="rare")]
    patterns = _patterns(people[0])
    _choose(instances, patterns, _versions(patterns[0].version), people)
    _copy_instances()
    _copy(Visit, f"seq <= {max(1, visits // instances)}")
    newest = f"chosen.g >= {instances - WITH_EVERYTHING}"
    for model in (Attempt, Event, Compensation, Binding):
        _copy(model, newest)
    _terms()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE chosen")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
        (size,) = cursor.fetchone()
    return Made(Instance.objects.count(), Visit.objects.count(), size)


def _patterns(user: User) -> list[Instance]:
    """Real runs to copy: one that completed, one that was rolled back, one that waits for a person."""
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    version = demo_flow("order-fulfilment")
    return [run(version, user=user, **values) for values in (ORDER, DECLINED, LARGE)]


def _versions(first: FlowVersion) -> list[FlowVersion]:
    """The order flow's versions 1 and 2, a flow that is used little, and a retired one."""
    second = FlowVersionFactory(flow=first.flow, definition=first.definition, graph=first.graph)
    others = [
        FlowVersionFactory(flow=FlowFactory(path=path, title=title), definition=first.definition, graph=first.graph)
        for path, title in (("/flows/rare", "Rare"), ("/flows/retired", "Retired"))
    ]
    return [first, second, *others]


def _choose(instances: int, patterns: list[Instance], versions: list[FlowVersion], people: list[User]) -> None:
    """One line a run to be: when, after which pattern, with which status, of which version, by whom, whose child."""
    done, declined, large = (str(pattern.pk) for pattern in patterns)
    first, second, rare, retired = (version.pk for version in versions)
    parent_of_fan_out = instances - FAN_OUT - 500
    sql = f"""
        CREATE TEMPORARY TABLE chosen AS
        WITH lot AS (
            SELECT g, (hashint4(g) & 2147483647) % 10000 AS lot, g::float / {instances} AS age,
                   (extract(epoch FROM now()) * 1000)::bigint - 365 * 86400000::bigint
                       + (g::float / {instances} * 365 * 86400000)::bigint AS ms
            FROM generate_series(0, {instances - 1}) g
        ), told AS (
            SELECT *, CASE
                WHEN g >= {instances - 30} THEN 'running'
                WHEN g % {max(10, instances // 200)} = 7 AND age < 0.1 THEN 'held'
                WHEN lot < 300 AND age < 0.5 THEN 'failed'
                WHEN lot < 700 THEN 'rolled_back'
                WHEN lot < 900 THEN 'cancelled'
                WHEN lot < 1000 THEN 'stopped'
                WHEN lot < 1100 THEN 'waiting'
                ELSE 'completed' END AS status,
                (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(g::text), 1, 3) || '8'
                    || substr(md5(g::text), 4, 15))::uuid AS id
            FROM lot
        )
        SELECT g, id, status, to_timestamp(ms / 1000.0) AS at,
            (CASE WHEN status = 'waiting' THEN '{large}' WHEN status IN ('failed', 'held', 'rolled_back') THEN '{declined}'
                ELSE '{done}' END)::uuid AS pattern,
            CASE WHEN age < 0.1 AND lot % 10 = 0 THEN {retired} WHEN lot % 1000 = 1 THEN {rare}
                WHEN age < 0.3 THEN {first} ELSE {second} END AS version_id,
            CASE WHEN age < 0.05 AND lot % 500 = 3 THEN {people[1].pk} ELSE {people[0].pk} END AS started_by_id,
            lot % 100 = 5 AS is_test,
            CASE WHEN g > {parent_of_fan_out} AND g <= {parent_of_fan_out + FAN_OUT} THEN {parent_of_fan_out}
                WHEN g > 0 AND lot % 50 = 11 THEN g - 1 END AS parent
        FROM told"""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        cursor.execute("CREATE UNIQUE INDEX ON chosen (g)")
        cursor.execute("ANALYZE")


def _copy_instances() -> None:
    """The runs themselves: what a list shows and finds differs, the rest is the pattern's."""
    own = {
        "id": "chosen.id",
        "status": "chosen.status",
        "flow_id": "version.flow_id",
        "version_id": "chosen.version_id",
        "started_by_id": "chosen.started_by_id",
        "is_test": "chosen.is_test",
        "parent_id": "parent.id",
        "root_id": "parent.id",
        "parent_visit": "CASE WHEN parent.id IS NOT NULL THEN 1 END",
        "failed_node": "CASE WHEN chosen.status IN ('failed', 'held', 'rolled_back') THEN pattern.failed_node ELSE '' END",
        "input": "replace(pattern.input, (pattern.input::json)->>'order_id', 'A-' || chosen.g)",
        "created_at": "chosen.at",
        "hinted_at": "chosen.at",
        "started_at": "chosen.at",
        "ended_at": "CASE WHEN pattern.ended_at IS NOT NULL THEN chosen.at + interval '3 seconds' END",
    }
    columns = _columns(Instance)
    values = ", ".join(own.get(column, f"pattern.{column}") for column in columns)
    _execute(
        f"INSERT INTO engine_instance ({', '.join(columns)}) SELECT {values} FROM chosen "
        "JOIN engine_instance pattern ON pattern.id = chosen.pattern "
        "JOIN flows_flowversion version ON version.id = chosen.version_id "
        "LEFT JOIN chosen parent ON parent.g = chosen.parent ORDER BY chosen.g"
    )


def _copy(model: type[models.Model], condition: str) -> None:
    """The rows that belong to runs, as their patterns have them."""
    table = model._meta.db_table
    kept = [name for name in _columns(model) if name not in ("id", "instance_id")]
    _execute(
        f"INSERT INTO {table} (instance_id, {', '.join(kept)}) SELECT chosen.id, {', '.join(f'{table}.{name}' for name in kept)} "
        f"FROM chosen JOIN {table} ON {table}.instance_id = chosen.pattern WHERE {condition} ORDER BY chosen.g"
    )


def _columns(model: type[models.Model]) -> list[str]:
    return [str(field.column) for field in model._meta.concrete_fields]


def _terms() -> None:
    """Terms as starting a run writes them: its order's number, one of 5,000 customers, and two that every run has."""
    terms = "('a-' || g), ('customer ' || g % 5000), ('ch'), ('lamp')"
    _execute(
        f"INSERT INTO {SearchTerm._meta.db_table} (instance_id, term) SELECT id, term FROM chosen, "
        f"LATERAL (VALUES {terms}) AS terms (term) WHERE parent IS NULL"
    )


def _execute(sql: str) -> None:
    """One statement without looking up each foreign key: what is copied points to where its pattern did."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(sql)
        cursor.execute("SET session_replication_role = origin")
