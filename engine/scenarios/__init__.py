"""Scenarios: how a flow is tested without its functions, its people and its clock.

A scenario file says what a flow is, what the world answers, what people do and what must come of it. The real engine
carries it out on the real database; only queue, clock and executor are those of this package. ``manage.py flow test``
runs them.
"""
