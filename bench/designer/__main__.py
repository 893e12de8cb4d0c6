"""``python -m bench.designer``: opens generated flows in the running product and prints what a person would wait for.

Exit code 1 when a goal is not reached.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import django

from bench.report import Goal, Line, table

SIZES = (500, 1000)


def main() -> int:
    options = _options()
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sultana-bench-designer-"))
        os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
        os.environ["SULTANA_VAR_DIR"] = directory
        os.environ["SULTANA_DATABASE_URL"] = f"sqlite:///{directory}/designer.sqlite3"
        django.setup()
        paths, session = _product(options.nodes)
        from tests.designer.server import running_server

        url = stack.enter_context(running_server(dict(os.environ))).url
        browser = stack.enter_context(_chromium())
        missed = 0
        for nodes, path in zip(options.nodes, paths, strict=True):
            lines = list(_lines(browser, url, path, session, nodes, options.rounds))
            print(table(f"A flow of {nodes:,} nested nodes", lines), flush=True)
            missed += sum(not line.goal.is_reached for line in lines if line.goal is not None)
    print(f"{missed} goals were not reached." if missed else "Every goal was reached.")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.designer", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=list(SIZES), help="how large the flows are")
    parser.add_argument("--rounds", type=int, default=8, help="how often each page is opened and each step is put in")
    return parser.parse_args()


def _product(sizes: list[int]) -> tuple[list[str], str]:
    """An empty product with one flow of each size; answers their pages and a session that may change them."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from bench.designer.generate import text
    from flows import library
    from flows.models import Workspace
    from flows.publishing import import_flow

    call_command("migrate", verbosity=0)
    library.sync()
    person = User.objects.create_superuser("bench")
    workspace = Workspace.objects.get(slug="default")
    flows = [import_flow(workspace, text(nodes), by=person, draft=True).flow for nodes in sizes]
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    return [f"{flow.path}/-/design" for flow in flows], session


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def _lines(browser: Any, url: str, path: str, session: str, nodes: int, rounds: int) -> Iterator[Line]:
    from bench.designer.measure import spread, visit

    cookie = {"name": "sessionid", "value": session, "url": url}
    visits = [visit(browser, url + path, cookie) for _ in range(rounds)]
    last = visits[-1]
    for each in visits[:-1]:
        each.page.context.close()
    unit = last.baseline()

    def line(label: str, value: float, limit: float | None = None) -> Line:
        goal = Goal(f"below {limit:.0f} ms", value, limit) if limit is not None and nodes <= SIZES[0] else None
        return Line(label, f"{value:.1f} ms", f"{value / unit:.1f} x the baseline", goal)

    yield Line("The baseline: 500 plain cards into a page", f"{unit:.1f} ms", "1.0 x")
    opened = [each.opened for each in visits]
    yield line(
        "First render, from the HTML to the steps in the page", spread([each["drawn"] for each in opened])[0], 700
    )
    yield line("First render, until it is painted", spread([each["shown"] for each in opened])[0])
    pan = spread(last.pan())
    yield line("Time between frames while panning, p50", pan[0])
    yield line("Time between frames while panning, p95", pan[1], 33)
    yield line(
        "An arrow key to the next step, until it is painted", spread([each["shown"] for each in last.selects(20)])[0]
    )
    inserts = last.inserts(rounds)
    yield line("A step put in, until it is in the page", spread([each["changed"] for each in inserts])[0], 60)
    yield line("A step put in, until it is painted", spread([each["shown"] for each in inserts])[0])
    typed = [each["shown"] for each in last.typed()]
    yield line("A letter typed into a field, until it is painted, p50", spread(typed)[0], 50)
    yield line("A letter typed into a field, until it is painted, p95", spread(typed)[1])
    yield line("The longest task while a change is saved", last.saving())
    yield Line("Elements of the canvas", f"{opened[-1]['elements']:,.0f}")
    last.page.context.close()


if __name__ == "__main__":
    sys.exit(main())
