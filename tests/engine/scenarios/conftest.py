"""Scenarios run on the database of this test run."""

from tests.scenario_database import scenario_database as scenario_database
