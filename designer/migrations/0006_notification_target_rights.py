"""Administrators may set up who is told. The group may have another name by now, or be gone."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def rights(apps):
    Permission = apps.get_model("auth", "Permission")
    return Permission.objects.filter(content_type__app_label="flows", content_type__model="notificationtarget")


def give(apps, schema_editor):
    # Otherwise they are only made after the last migration.
    create_permissions(installed.get_app_config("flows"), verbosity=0, using=schema_editor.connection.alias, apps=apps)
    for group in apps.get_model("auth", "Group").objects.filter(name="Administrators"):
        group.permissions.add(*rights(apps))


def take(apps, schema_editor):
    for group in apps.get_model("auth", "Group").objects.filter(name="Administrators"):
        group.permissions.remove(*rights(apps))


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0005_editing"),
        ("flows", "0006_notification_targets"),
    ]
    operations = [migrations.RunPython(give, take)]
