"""``python -m bench``: measure, print a table, and with ``--json FILE`` keep the figures."""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from bench.places import Place, Vendor, make_place
from bench.report import Figures, render, unreached
from bench.sizes import FULL, QUICK, Sizes

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 1800  # seconds for all measurements on one database


def main() -> None:
    options = _options()
    sizes = QUICK if options.quick else FULL
    vendors: list[Vendor] = ["sqlite", "postgres"] if options.database == "both" else [options.database]
    kept: dict[str, Figures] = {}
    missed = 0
    print(
        f"{os.cpu_count()} processors, {platform.system()} {platform.release()}, Python {platform.python_version()}\n"
    )
    for vendor in vendors:
        kept[vendor] = _figures(vendor, sizes)
        missed += unreached(vendor, kept[vendor])
        print(render(vendor, kept[vendor]), flush=True)
    if options.quick:
        print("A quick look: the figures that count are those of a full run on a quiet machine.")
    print(f"{missed} goals were not reached." if missed else "All goals were reached.")
    if options.json:
        Path(options.json).write_text(json.dumps(kept, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="measure less of everything: about a minute a database")
    parser.add_argument("--database", choices=["sqlite", "postgres", "both"], default="both")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    return parser.parse_args()


def _figures(vendor: Vendor, sizes: Sizes) -> Figures:
    with make_place(vendor) as place:
        ours = _run("bench.ours", place, json.dumps(sizes.arguments()), str(place.directory))
        theirs = _run("bench.dbos_side", place, place.theirs, json.dumps(sizes.arguments()))
    return {**ours, "dbos": theirs}


def _run(module: str, place: Place, *arguments: str) -> Figures:
    """What one side's own process prints. Each gets an environment of its own; their log lines go to standard error."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "bench.settings",
        "SULTANA_DATABASE_URL": place.ours,
        "SULTANA_VAR_DIR": str(place.directory / "var"),
    }
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()
