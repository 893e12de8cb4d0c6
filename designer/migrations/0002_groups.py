"""The four groups a site starts with. Administrators may change them afterwards: this runs once."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.models import Q

SEE = {
    "flows": ["view_workspace", "view_flow", "view_flowversion", "view_libraryfunction", "view_agent"],
    "engine": [
        "view_instance", "view_visit", "view_attempt", "view_compensation", "view_event", "view_inboxtask",
        "view_wakeup", "view_signal", "view_workernode",
    ],
}
GROUPS = {
    "Flow editors": {
        **SEE,
        "flows": [*SEE["flows"], "add_flow", "change_flow", "delete_flow", "run_flow", "test_flow", "publish_flow"],
    },
    "Operators": {
        "flows": [*SEE["flows"], "run_flow", "test_flow"],
        "engine": [*SEE["engine"], "operate_instance"],
    },
    # Whoever is given a task may answer it; looking at runs is for the others.
    "Approvers": {"engine": ["view_inboxtask"]},
    "Administrators": {"flows": None, "engine": None, "designer": None, "auth": None},  # everything
}


def make_groups(apps, schema_editor):
    Group = apps.get_model("auth", "Group")
    Permission = apps.get_model("auth", "Permission")
    for label in ("flows", "engine", "designer", "auth"):
        # Otherwise they are only made after the last migration.
        create_permissions(installed.get_app_config(label), verbosity=0, using=schema_editor.connection.alias, apps=apps)
    for name, rights in GROUPS.items():
        wanted = Q(pk__in=[])
        for label, codenames in rights.items():
            of_app = Q(content_type__app_label=label)
            wanted |= of_app if codenames is None else of_app & Q(codename__in=codenames)
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(*Permission.objects.filter(wanted))


def remove_groups(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=GROUPS).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("designer", "0001_api_tokens"),
        ("engine", "0001_initial"),
        ("flows", "0001_initial"),
    ]
    operations = [migrations.RunPython(make_groups, remove_groups)]
