from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Cast, Right


class Migration(migrations.Migration):
    """Each filter of the run list ends in the order of ids, so each index does; a foreign key's own would only repeat them."""

    dependencies = [
        ('engine', '0009_fill_search_terms'),
        ('flows', '0003_agents'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='instance',
            name='flow',
            field=models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name='instances', to='flows.flow', verbose_name='flow'),
        ),
        migrations.AlterField(
            model_name='instance',
            name='started_by',
            field=models.ForeignKey(db_index=False, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='started by'),
        ),
        migrations.AlterField(
            model_name='instance',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name='instances', to='flows.flowversion'),
        ),
        migrations.AlterField(
            model_name='instance',
            name='workspace',
            field=models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name='+', to='flows.workspace'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(condition=models.Q(('parent__isnull', True)), fields=['workspace', '-id'], name='instance_roots'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(fields=['version', '-id'], name='instance_by_version'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(condition=models.Q(('started_by__isnull', False)), fields=['started_by', '-id'], name='instance_by_starter'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(condition=models.Q(('failed_node', ''), _negated=True), fields=['failed_node', '-id'], name='instance_by_failed_node'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(condition=models.Q(('is_test', True)), fields=['-id'], name='instance_tests'),
        ),
        migrations.AddIndex(
            model_name='instance',
            index=models.Index(Right(Cast('id', models.TextField()), 8), name='instance_by_end_of_id'),
        ),
    ]
