"""The pure transition function: (where a run stands, what just happened) -> what to record and what to do next.

No clock, no chance, no database: the moment and one random number come in as arguments, recorded outputs are read through
a mapping, and everything that is to be written is returned (design/product.md, "The engine's idea", 2).
"""
