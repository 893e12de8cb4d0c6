"""Drawn data that several tests share."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For a machine with other things to do: how long one example takes says nothing."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
"""Any text that UTF-8 can hold."""

keys = st.one_of(st.sampled_from(["id", "nodes", "yes", "1", "1e3", "~", "<<", "=", "2030-01-07", "null"]), texts)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["1e3", "0o7", "007", "yes", "Null", "~", ".5", "+1", "12:30", "2030-01-07", "a\n b", "- x", "a: b"]
    ),
    texts,
)
"""Any JSON scalar, with the texts that YAML likes to misread."""

json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=20,
)
"""Any JSON value."""
