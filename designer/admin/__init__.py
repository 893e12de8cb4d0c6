"""The administration pages; Django finds them by importing this package."""

from designer.admin import tokens

__all__ = ["tokens"]
