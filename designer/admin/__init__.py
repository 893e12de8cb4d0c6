"""The administration pages; Django finds them by importing this package."""

from designer.admin import runs, tokens

__all__ = ["runs", "tokens"]
