"""``manage.py flow``: check, explain, import, export, evaluate, and whatever other apps add.

A subcommand is a module of a package ``flow_commands`` in any installed app. It has the texts and functions of
:class:`Subcommand`; its name is the module's. It ends with another exit code than 0 by ``sys.exit`` or ``CommandError``.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, cast

from django.apps import apps
from django.core.management.base import BaseCommand, CommandParser, OutputWrapper


class Subcommand(Protocol):
    """What a module of ``flow_commands`` offers."""

    help: str

    def add_arguments(self, parser: CommandParser) -> None: ...

    def handle(self, options: dict[str, Any], stdout: OutputWrapper) -> None: ...


def subcommands() -> dict[str, Subcommand]:
    """Every subcommand of the installed apps by its name, in the apps' order."""
    found: dict[str, Subcommand] = {}
    for config in apps.get_app_configs():
        places = [f"{config.path}/flow_commands"]
        for module in iter_modules(places):
            name = f"{config.name}.flow_commands.{module.name}"
            found.setdefault(module.name.replace("_", "-"), cast(Subcommand, import_module(name)))
    return found


class Command(BaseCommand):
    help = "Check, explain, move and try flows."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        chosen = parser.add_subparsers(dest="subcommand", required=True, metavar="COMMAND", title="commands")
        for name, module in subcommands().items():
            module.add_arguments(chosen.add_parser(name, help=module.help, description=module.help))

    def handle(self, *args: Any, **options: Any) -> None:
        subcommands()[options["subcommand"]].handle(options, self.stdout)
