"""Runs in the database: loading one for a driver, and writing a decision in one statement or transaction."""
