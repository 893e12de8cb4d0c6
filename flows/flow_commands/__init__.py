"""What ``manage.py flow`` can do with flows; one subcommand a module (see flows/management/commands/flow.py)."""
