"""Settings for mail and links: read from the environment, refused with the variable's name when they make no sense."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = """
from designer import settings as s
print(s.EMAIL_BACKEND.split(".")[-2], s.EMAIL_HOST, s.EMAIL_PORT, s.EMAIL_USE_TLS, s.EMAIL_HOST_USER)
print(s.DEFAULT_FROM_EMAIL, s.SULTANA_PUBLIC_URL)
"""


def shown(**variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "SULTANA_EMAIL" not in name}
    command = [sys.executable, "-c", SHOW]
    return subprocess.run(command, cwd=ROOT, env={**environment, **variables}, capture_output=True, text=True)


def test_without_a_mail_server_the_workers_print_mails():
    assert shown().stdout.split() == [
        *("console", "localhost", "25", "False", "sultana@localhost", "http://localhost:8000"),
    ]


def test_the_mail_server_and_the_sites_address_are_given():
    given = {
        "SULTANA_EMAIL_URL": "smtp+tls://user:pw@mail.example.org:587",
        "SULTANA_PUBLIC_URL": "https://a.example.org/",
    }
    assert shown(**given).stdout.split() == [
        *("smtp", "mail.example.org", "587", "True", "user", "sultana@a.example.org", "https://a.example.org"),
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SULTANA_EMAIL_URL", "pigeon://x"),
        ("SULTANA_EMAIL_URL", "smtp://mail:port"),
        ("SULTANA_PUBLIC_URL", "flows.example.org"),
        ("SULTANA_PUBLIC_URL", "https://flows.example.org:port"),
        ("SULTANA_PUBLIC_URL", "https://flows.example.org/?a=b"),
    ],
)
def test_what_makes_no_sense_stops_the_start_and_names_the_variable(name, value):
    ended = shown(**{name: value})
    assert ended.returncode == 1
    assert f"{name} is" in ended.stderr.splitlines()[-1]
