from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models.signals import post_delete, post_migrate, post_save
from django.utils.module_loading import autodiscover_modules


class FlowsConfig(AppConfig):
    name = "flows"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Find the functions of the installed apps, and keep the library's tables and memory in step with them."""
        from flows import library
        from flows.models import HttpFunction, LibraryFunction

        autodiscover_modules("functions")
        checks.register(check_manifests)
        post_migrate.connect(after_migrate, sender=self)
        for signal in (post_save, post_delete):
            for model in (LibraryFunction, HttpFunction):
                signal.connect(library.forget, sender=model)


def after_migrate(using: str, **_signal: Any) -> None:
    """Bring the library's tables up to date; ``default`` exists even where the tables have been emptied."""
    from flows import library
    from flows.models import Workspace

    has_tables = Workspace._meta.db_table in connections[using].introspection.table_names()
    if using == DEFAULT_DB_ALIAS and has_tables:  # they are not there after `migrate flows zero`
        Workspace.objects.get_or_create(slug="default", defaults={"title": "Default"})
        library.sync()


def check_manifests(**_options: Any) -> list[checks.CheckMessage]:
    """A manifest that cannot be used is a warning of ``manage.py check``: the function works, as one without."""
    from flows import library

    return [checks.Warning(problem, id="flows.W001") for problem in library.manifest_problems()]
