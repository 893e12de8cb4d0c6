"""``manage.py flowcluster``: the workers, their sentinel and the timekeeper."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DEFAULT_DB_ALIAS, connections

from engine.cluster import identity
from engine.cluster.cluster import run_cluster
from engine.cluster.sentinel import Hooks
from engine.cluster.timekeeper import Timekeeper

SWEEP_EVERY = 5.0  # seconds
TIDY_EVERY = 10.0


class Command(BaseCommand):
    help = "Carries out flows: starts the worker processes and fires timers until it is stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--node", help="name of this start of the cluster, by default host name and a random id")

    def handle(self, *args: Any, **options: Any) -> None:
        # Here, not above: the package engine.cluster depends on nothing of the engine. Loaded before the fork, the
        # code of the drives is in memory once, not once per worker.
        from engine import errands, livetext, notices, recovery, tasks, testruns, wakeups  # noqa: F401
        from engine.ports_production import ports

        if options["node"]:
            identity.set_node_name(options["node"])

        def worker_died(name: str) -> None:
            recovery.worker_died(name, ports())

        def sweep() -> None:
            recovery.sweep(ports())
            notices.sweep(ports())

        def tidy() -> None:
            testruns.go_on_resting(ports())
            testruns.discard_ended(ports())
            livetext.forget_left_behind(ports())
            errands.sweep()

        # A question before each message would be a transaction more; every process here gets over a broken connection.
        connections.settings[DEFAULT_DB_ALIAS]["CONN_HEALTH_CHECKS"] = False
        hooks = Hooks(worker_died=worker_died, beat=recovery.beat)
        chores = [(SWEEP_EVERY, sweep), (TIDY_EVERY, tidy)]
        timekeeper = Timekeeper(wakeups.next_due, lambda: wakeups.fire_due(ports()), chores)
        sys.exit(run_cluster(hooks, timekeeper))
