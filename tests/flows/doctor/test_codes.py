import re

import pytest

from flows.doctor import CODES, check
from tests.flows.doctor.cases import CASES, FLOW_PATH, Case


def found(case: Case) -> list[tuple[str, str]]:
    """``node code`` of everything but the suggestions that a small flow always gets."""
    findings = check(case.definition, library=case.library, flow_path=FLOW_PATH)
    wanted = {code for _, code in case.expected}
    return [(each.node, each.code) for each in findings if each.severity != "suggestion" or each.code in wanted]


@pytest.mark.parametrize("code", CASES)
def test_each_code_is_found_and_nothing_else(code):
    assert found(CASES[code]) == list(CASES[code].expected)


def test_every_code_of_the_table_has_a_case():
    assert CASES.keys() | {"TRIGGER_NOT_APPLICABLE"} == CODES.keys()  # a trigger is no part of a flow


@pytest.mark.parametrize("code", CASES)
def test_a_finding_has_the_severity_of_the_table(code):
    findings = check(CASES[code].definition, library=CASES[code].library, flow_path=FLOW_PATH)
    assert {each.severity for each in findings if each.code == code} == {CODES[code].severity}


@pytest.mark.parametrize("code", CASES)
def test_a_message_is_short_and_in_the_users_words(code):
    for each in check(CASES[code].definition, library=CASES[code].library, flow_path=FLOW_PATH):
        assert 20 < len(each.message) < 250
        assert each.message.endswith((".", "?"))
        assert not re.search(r"workflow|\bnode\b|instance|\bjob\b", each.message)
