"""``python -m tests.million --instances 1000000 --visits 5000000 --database postgres``: fill a database, measure, drop it."""

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack

import django

GOAL_MS = 150.0


def main() -> int:
    """Answers 1 when a page is slower than the goal, so that a script notices."""
    options = _options()
    with ExitStack() as stack:
        os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
        os.environ["SULTANA_VAR_DIR"] = stack.enter_context(tempfile.TemporaryDirectory(prefix="sultana-million-"))
        from tests.postgres import running_server

        # Loading writes far more than any day does; with the default it would wait for checkpoints.
        os.environ["SULTANA_DATABASE_URL"] = stack.enter_context(running_server(max_wal_size="8GB"))
        django.setup()
        from django.db import connections

        stack.callback(connections.close_all)  # the server waits for them before it ends
        return _fill_and_measure(options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.million", description=__doc__)
    parser.add_argument("--instances", type=int, default=1_000_000)
    parser.add_argument("--visits", type=int, default=5_000_000)
    parser.add_argument("--database", choices=["postgres"], default="postgres", help="started in a temporary directory")
    parser.add_argument("--requests", type=int, default=40, help="how often each page is asked for")
    parser.add_argument("--only", default="", help="measure the pages whose name has this in it")
    parser.add_argument("--explain", action="store_true", help="print the plan of the slowest query of each slow page")
    return parser.parse_args()


def _fill_and_measure(options: argparse.Namespace) -> int:
    from django.core.management import call_command

    from tests.million.generate import generate
    from tests.million.measure import measure, pages, plan_of_slowest

    begun = time.monotonic()
    call_command("migrate", verbosity=0)
    made = generate(options.instances, options.visits)
    print(
        f"{made.instances:,} runs and {made.visits:,} visits made in {time.monotonic() - begun:.0f} s, {made.size}.\n"
    )
    print(f"{'page':<44}{'p50 ms':>8}{'p95 ms':>8}{'cpu ms':>8}{'queries':>9}")
    slow = 0
    for page in pages():
        if options.only not in page.name:
            continue
        result = measure(page, options.requests)
        is_slow = result.p95 > GOAL_MS
        slow += is_slow
        print(
            f"{page.name:<44}{result.p50:>8.1f}{result.p95:>8.1f}{result.cpu:>8.1f}{result.queries:>9}{'  !' if is_slow else ''}",
            flush=True,
        )
        if is_slow and options.explain:
            print(plan_of_slowest(page))
    print(
        f"\n{slow} pages are slower than {GOAL_MS:.0f} ms at the 95th percentile." if slow else "\nAll within the goal."
    )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
