"""The sentences of the designer, by the names under which its scripts know them.

``{name}`` in a sentence stands for something the script puts in; ``x_one`` is ``x`` for exactly one. A test holds both
sides together: every name the scripts use is here, and nothing is here that they do not use.
"""

from designer.design_words import actions, forms, page


def words() -> dict[str, str]:
    """Every sentence in the reader's language."""
    return {name: str(text) for part in (actions, page, forms) for name, text in part.WORDS.items()}
