"""What ``manage.py flow`` can do with runs; one subcommand a module (see flows/management/commands/flow.py)."""
