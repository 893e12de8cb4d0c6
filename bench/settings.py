"""The product's settings with the functions that the measured flows call."""

from designer.settings import *  # noqa: F403
from designer.settings import INSTALLED_APPS as PRODUCT_APPS

INSTALLED_APPS = [*PRODUCT_APPS, "bench"]
