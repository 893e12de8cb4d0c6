"""The product's settings for the worker processes of the chaos tests: with the functions that their flow calls."""

from designer.settings import *  # noqa: F403
from designer.settings import DATABASES
from designer.settings import INSTALLED_APPS as PRODUCT_APPS

INSTALLED_APPS = [*PRODUCT_APPS, "tests.chaos.effects"]

# Processes are killed here, the machine is not: what was written to a file is still there without waiting for the disk.
if "init_command" in DATABASES["default"].get("OPTIONS", {}):
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
