"""What the demo starts with: people who sign in, and the facts its functions look up.

Only what is missing is made, so running it again keeps what people changed since. Whoever sets the demo up gives the
groups their permissions and loads the flows in ``demo/flows``.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.db import models, transaction

from demo import agents, functions
from demo.models import (
    Behaviour,
    Budget,
    CreditNote,
    CustomerOrder,
    Employee,
    RegionFigure,
    Shift,
    Status,
    StockItem,
    SupplierOffer,
    TicketBlock,
)
from flows.models import NotificationTarget

DEMO_PASSWORD = "sultana-demo"
ADMIN = "admin"
FLOW_EDITORS = "Flow editors"
GROUPS: Mapping[str, tuple[str, ...]] = {
    "finance": ("ada", "bob", "cy"),
    "box-office": ("bea", "bo"),
    "analysts": ("ana", "arn"),
    FLOW_EDITORS: ("ben",),
}
"""Group -> members. ``/groups/finance`` in a flow is the group ``finance``, ``/users/ada`` the user ``ada``."""
PEOPLE = (
    *("ada", "ana", "arn", "bea", "ben", "bert", "bo", "bob", "cy", "director", "ida", "jon", "kim", "lea", "lena"),
    *("lou", "manager", "mara", "paul", "service-lead"),
)
EARLIER_REFUNDS = {"O-4": 35, "O-5": 48, "O-6": 60, "O-7": 22}
"""Orders whose refund was paid before: what makes a customer's history."""

Row = TypeVar("Row", bound=models.Model)


@transaction.atomic
def seed() -> None:
    """Make what is missing of people, groups, facts, agents and who can be told."""
    _people()
    _shop()
    _company()
    _shifts()
    agents.seed()
    team = {"addresses": "support@firm.example", "description": "Looks after runs that are held or failed"}
    NotificationTarget.objects.get_or_create(name="support-team", defaults=team)
    for path in functions.paths():
        Behaviour.objects.get_or_create(path=path)


def _people() -> None:
    """Everybody with the demo's password, hashed once: hashing is slow on purpose."""
    password = make_password(DEMO_PASSWORD)
    new = set()
    for username in (*PEOPLE, ADMIN):
        is_admin = username == ADMIN
        user, is_new = User.objects.get_or_create(
            username=username,
            defaults={
                "first_name": _name(username),
                "email": f"{username}@firm.example",
                "password": password,
                "is_staff": is_admin,
                "is_superuser": is_admin,
            },
        )
        if is_new:
            new.add(user.username)
    for name, usernames in GROUPS.items():  # some exist before: those that carry the rights
        group, _ = Group.objects.get_or_create(name=name)
        group.user_set.add(*User.objects.filter(username__in=new.intersection(usernames)))


def _shop() -> None:
    _facts(
        StockItem,
        "sku",
        ("title", "available"),
        {
            "cup": ("Cup", 200),
            "lamp": ("Lamp", 40),
            "piano": ("Grand piano", 0),
            "sofa": ("Sofa", 4),
            "vase": ("Vase", 25),
        },
    )
    owners = {"O-4": "uma", "O-5": "uma", "O-6": "uma", "O-7": "uma", "O-9": "tim", "O-10": "uma", "O-11": "vic"}
    _facts(CustomerOrder, "order", ("customer",), {order: (customer,) for order, customer in owners.items()})
    for order, amount in EARLIER_REFUNDS.items():
        note = {"instance_id": "seed", "order": order, "amount": amount, "status": Status.DONE, "because": "worn"}
        CreditNote.objects.get_or_create(key=f"seed-{order}", defaults=note)
    for block, price, free in (("A", 45, 60), ("B", 45, 40), ("C", 40, 120)):
        TicketBlock.objects.get_or_create(event="Nocturne", name=block, defaults={"price": price, "free": free})


def _company() -> None:
    _facts(
        Budget,
        "cost_centre",
        ("title", "lead", "amount"),
        {
            "K-3": ("People", "mara", 20_000),
            "K-7": ("Workshop", "lea", 50_000),
            "K-9": ("Buying", "bert", 100_000),
        },
    )
    teams = {"K-3": ("ben", "lena"), "K-7": ("ida", "jon", "kim", "lou"), "K-9": ("bert", "paul")}
    for cost_centre, usernames in teams.items():
        budget = Budget.objects.get(cost_centre=cost_centre)
        _facts(Employee, "username", ("name", "budget"), {each: (_name(each), budget) for each in usernames})
    offers: dict[str, dict[str, str | None]] = {
        "screws": {"Nord": "0.40", "Sued": "0.45"},
        "pump": {"Nord": "950", "Sued": "900", "West": None},
        "crane": {"Ost": "70000"},
    }
    for item, prices in offers.items():
        for supplier, price in prices.items():
            SupplierOffer.objects.get_or_create(supplier=supplier, item=item, defaults={"unit_price": price})
    regions = {"east": (31, 30), "north": (10, 11), "south": (12, 12), "west": (99, 30)}
    _facts(RegionFigure, "region", ("sales", "usual"), regions)


def _shifts() -> None:
    shifts = {
        "S-12": ("Sunday evening", "Harbour", ("ida", "jon", "kim", "lou")),
        "S-13": ("Monday morning", "Station", ("ida",)),
        "S-14": ("Monday night", "Station", ()),
    }
    for code, (when, where, suitable) in shifts.items():
        shift, is_new = Shift.objects.get_or_create(code=code, defaults={"when": when, "where": where})
        if is_new:
            shift.suitable.set(Employee.objects.filter(username__in=suitable))


def _facts(model: type[Row], key: str, names: Iterable[str], rows: Mapping[str, Iterable[Any]]) -> None:
    """A row for each key that has none yet, its other fields in the order of ``names``."""
    for value, others in rows.items():
        model._default_manager.get_or_create(**{key: value}, defaults=dict(zip(names, others, strict=True)))


def _name(username: str) -> str:
    return username.replace("-", " ").capitalize()
