from django.db import migrations
from django.db.models import F

from engine.search import terms_of

BATCH = 1000


def fill(apps, schema_editor):
    """Write the terms of the runs that are there already, a thousand at a time, and where those that failed did so."""
    Instance = apps.get_model("engine", "Instance")
    SearchTerm = apps.get_model("engine", "SearchTerm")
    Instance.objects.filter(status__in=["failed", "rolled_back", "held"]).update(failed_node=F("node_id"))
    roots = Instance.objects.filter(parent=None).order_by("pk").only("pk", "input")
    last = None
    while batch := list((roots if last is None else roots.filter(pk__gt=last))[:BATCH]):
        SearchTerm.objects.bulk_create(
            [SearchTerm(instance_id=run.pk, term=term) for run in batch for term in terms_of(run.input)],
            ignore_conflicts=True,
        )
        last = batch[-1].pk


class Migration(migrations.Migration):
    """Runs from before are found like new ones."""

    dependencies = [
        ('engine', '0008_search_terms'),
    ]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
