"""Carrying bodies out: each executor takes a call and answers a result, one way of doing it a module."""
