"""The workspace ``default`` always exists: it is ``{repo}`` in the API of everybody who has only one."""

from django.db import migrations


def create(apps, schema_editor):
    workspaces = apps.get_model("flows", "Workspace").objects.using(schema_editor.connection.alias)
    workspaces.get_or_create(slug="default", defaults={"title": "Default"})


class Migration(migrations.Migration):
    dependencies = [("flows", "0001_initial")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop, elidable=False)]
