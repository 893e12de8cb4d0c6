"""Flows, their versions and the library in Django's admin."""

from flows.admin import flow, library, version

__all__ = ["flow", "library", "version"]
