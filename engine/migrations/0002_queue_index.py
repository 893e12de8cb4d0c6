from django.db import migrations


class Migration(migrations.Migration):
    """Held messages cost nothing: without it each look at the queue reads every row of it."""

    dependencies = [
        ("engine", "0001_initial"),
        ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more"),
    ]
    operations = [
        migrations.RunSQL(
            'CREATE INDEX flow_ormq_due ON django_q_ormq ("key", lock)',
            "DROP INDEX flow_ormq_due",
        )
    ]
