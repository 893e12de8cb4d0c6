"""``manage.py demo``: loads the demo's people, facts and flows."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandParser

from demo.seed import ADMIN, DEMO_PASSWORD, seed
from flows import library
from flows.models import Flow, Workspace
from flows.publishing import import_flow

FLOWS = Path(__file__).resolve().parents[2] / "flows"
ROLES = {"ben": "Flow editors", "manager": "Operators", "director": "Operators"}
LOGINS = (
    (ADMIN, "sees and repairs everything"),
    ("ben", "draws, publishes and starts flows"),
    ("manager", "answers tasks and follows runs"),
)


class Command(BaseCommand):
    help = "Loads the demo: people, the shop's facts and the example flows. What exists already stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--first-start",
            action="store_true",
            help="do nothing where there is a flow already",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["first_start"] and Flow.objects.exists()):
            self._load()
        self.stdout.write(f"Demo logins (password {DEMO_PASSWORD}):")
        for name, does in LOGINS:
            self.stdout.write(f"  {name:<8} {does}")

    def _load(self) -> None:
        seed()
        library.sync()
        for username, group in ROLES.items():
            User.objects.get(username=username).groups.add(Group.objects.get(name=group))
        workspace = Workspace.objects.get(slug="default")
        known = set(Flow.objects.values_list("path", flat=True))
        for file in sorted(FLOWS.glob("*.yaml")):
            if not file.name.endswith(".scenarios.yaml") and f"/flows/{file.stem}" not in known:
                import_flow(workspace, file.read_text(), by=None, publish=True)
