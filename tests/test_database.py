"""The test database is what was asked for, and a real process can join it."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User

COUNT_USERS = "from django.contrib.auth.models import User; print(User.objects.count())"


def test_the_run_is_made_on_the_database_that_was_asked_for(pytestconfig: pytest.Config, vendor: str) -> None:
    assert vendor == {"sqlite": "sqlite", "postgres": "postgresql"}[pytestconfig.getoption("database")]


def test_a_real_process_sees_what_a_test_has_committed(process_environment: dict[str, str]) -> None:
    User.objects.create_user("alice")
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", COUNT_USERS]
    done = subprocess.run(command, env=process_environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "1"
