"""Measures what a step costs, through the real queue and real worker processes, beside what the machine itself can do.

``make bench`` runs it; docs/performance.md says how to read what it prints.
"""
