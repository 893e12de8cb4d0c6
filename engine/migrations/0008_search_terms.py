from django.db import migrations, models


class Migration(migrations.Migration):
    """What runs are found by: short values of their input, and the step at which they failed."""

    dependencies = [
        ('engine', '0007_live_text'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchTerm',
            fields=[
                ('pk', models.CompositePrimaryKey('instance_id', 'term', blank=True, editable=False, primary_key=True, serialize=False)),
                ('term', models.CharField(max_length=80)),
                ('instance', models.ForeignKey(db_constraint=False, db_index=False, on_delete=models.DO_NOTHING, related_name='%(class)ss', to='engine.instance')),
            ],
            options={
                'verbose_name': 'search term',
                'verbose_name_plural': 'search terms',
            },
        ),
        migrations.AddIndex(
            model_name='searchterm',
            index=models.Index(fields=['term', 'instance'], name='term_by_beginning', opclasses=['varchar_pattern_ops', 'uuid_ops']),
        ),
        migrations.AddField(
            model_name='instance',
            name='failed_node',
            field=models.CharField(blank=True, max_length=200, verbose_name='failed at'),
        ),
    ]
