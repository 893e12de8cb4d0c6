"""Scenarios run on the database of this test run."""

from tests.scenario_database import transactional_db as transactional_db
