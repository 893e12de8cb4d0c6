"""``manage.py flow test``: what it prints and how it ends, and the database it plays on."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from engine.scenarios.report import as_json
from engine.scenarios.runner import ScenarioResult

GOOD = "scenario: it ends\nflow: { nodes: [] }\nexpect: { status: completed }\n"
BAD = "scenario: it fails\nflow: { nodes: [] }\nexpect: { status: failed, visits: [a] }\n"


@pytest.fixture
def flow_test(tmp_path, transactional_db):
    """Run the command on files with these texts; answers its exit code and its lines."""

    def run(*texts, options=()):
        for number, text in enumerate(texts):
            (tmp_path / f"{number}.yaml").write_text(text)
        stdout = StringIO()
        try:
            call_command("flow", "test", str(tmp_path), *options, stdout=stdout)
        except SystemExit as ended:
            return ended.code, stdout.getvalue().splitlines()
        return 0, stdout.getvalue().splitlines()

    return run


def test_each_expectation_that_is_not_met_has_a_line(flow_test, tmp_path) -> None:
    code, told = flow_test(f"{GOOD}---\n{BAD}")
    assert (code, told) == (
        1,
        [
            f'{tmp_path}/0.yaml:5: it fails: status: expected "failed", saw "completed"',
            f'{tmp_path}/0.yaml:5: it fails: visits: expected ["a"], saw []',
            "1 passed, 1 failed",
        ],
    )


def test_programs_get_an_object_a_scenario(flow_test, tmp_path) -> None:
    code, told = flow_test(f"{GOOD}---\n{GOOD.replace('ends', 'ends too')}", options=["--json"])
    assert code == 0
    assert [json.loads(line) for line in told] == [
        {"file": f"{tmp_path}/0.yaml", "name": name, "passed": True, "failures": []}
        for name in ("it ends", "it ends too")
    ]


def test_an_object_tells_what_failed() -> None:
    told = json.loads(as_json(ScenarioResult("it", Path("it.yaml"), 1, ("status: expected 1, saw 2",))))
    assert (told["passed"], told["failures"]) == (False, ["status: expected 1, saw 2"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("scenario: [", "This is no YAML"),
        ("scenario: it", "'flow' is a required property"),
    ],
)
def test_a_file_that_cannot_be_read_ends_it_before_anything_is_played(flow_test, text, told) -> None:
    with pytest.raises(CommandError, match=told) as caught:
        flow_test(GOOD, text)
    assert caught.value.returncode == 2


def test_a_folder_without_a_scenario_is_no_success(flow_test) -> None:
    with pytest.raises(CommandError, match="There is no scenario in ") as caught:
        flow_test("node_type: raisin:Flow")
    assert caught.value.returncode == 2
