"""A million runs on a PostgreSQL of its own, and how long the pages over them take: ``python -m tests.million``."""
