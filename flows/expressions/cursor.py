"""The parser's place among the tokens, its count of nesting, and the literals (reference/expressions.md, section 2)."""

from typing import Any

from flows.expressions.errors import Fault
from flows.expressions.limits import MAX_NESTING
from flows.expressions.tokens import LARGEST, Token, tokens, too_large

KEYWORDS: dict[str, Any] = {"true": True, "false": False, "null": None}

GRAPH_WORDS = frozenset({"RELATES", "VIA", "DEPTH", "DIRECTION", "OUTGOING", "INCOMING", "ANY"})

RESERVED = GRAPH_WORDS | KEYWORDS.keys() | {"contains", "startsWith", "endsWith"}
"""No top-level names and no unquoted keys of an object. After a dot they are ordinary."""


class Cursor:
    """The token to come, and what to do with it. Raises :class:`Fault` for what may not stand there."""

    __slots__ = ("_tokens", "end", "nesting", "sign", "token")

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self.nesting = 0
        self.end = 0
        """Where the last token taken ends."""
        self.token = next(self._tokens)
        self.sign = self.token.value if self.token.is_sign else ""
        """The operator or bracket to come, if it is one."""

    @property
    def is_at_end(self) -> bool:
        """Whether no token is left."""
        return self.token.kind == "end"

    def advance(self) -> Token:
        """Take the token to come, whatever it is."""
        taken = self.token
        self.end = taken.end
        self.token = token = next(self._tokens)
        self.sign = token.value if token.is_sign else ""
        return taken

    def take(self, sign: str) -> Token | None:
        """Take the token to come if it is ``sign``."""
        return self.advance() if self.sign == sign else None

    def expect(self, sign: str) -> None:
        """Take ``sign``; nothing else may come."""
        if self.sign != sign:
            raise self.unexpected(f"'{sign}'")
        self.advance()

    def open(self) -> Token:
        """Take a bracket or prefix operator, one level of nesting deeper."""
        opening = self.advance()
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise Fault(f"nested deeper than {MAX_NESTING} levels", opening.at)
        return opening

    def close(self, sign: str, opening: Token) -> None:
        """Take the bracket that closes ``opening``."""
        if self.is_at_end:
            raise Fault(f"this '{opening.value}' is never closed", opening.at)
        self.expect(sign)
        self.nesting -= 1

    def follows(self, sign: Token) -> bool:
        """Whether the token to come stands directly behind ``sign``, which is a minus."""
        return sign.value == "-" and sign.end == self.token.at

    def unexpected(self, wanted: str) -> Fault:
        """The fault of the token to come, where ``wanted`` should be. Says nothing of what a string or number holds."""
        token = self.token
        if token.kind == "name" and token.value in GRAPH_WORDS:
            return no_graph(token)
        if self.is_at_end:
            return Fault(f"the expression ends where {wanted} is expected", token.at)
        dot = "." if token.kind == "member" else ""
        found = f"a {token.kind}" if token.kind in ("number", "string") else f"'{dot}{token.value}'"
        return Fault(f"{found} stands where {wanted} is expected", token.at)

    def literal(self, wanted: str = "a value") -> Any:
        """Take a literal: a number without sign, a string, a keyword, an array or an object."""
        if self.sign == "[":
            return self._array()
        if self.sign == "{":
            return self._object()
        token = self.token
        if token.kind == "number":
            if needs_sign(token):
                raise too_large(token.at)
            return self.advance().value
        if token.kind == "string":
            return self.advance().value
        if token.kind == "name" and token.value in KEYWORDS:
            return KEYWORDS[self.advance().value]
        raise self.unexpected(wanted)

    def _array(self) -> list[Any]:
        bracket = self.open()
        elements: list[Any] = []
        if self.sign != "]":
            elements.append(self._part())
            while self.take(","):
                elements.append(self._part())
        self.close("]", bracket)
        return elements

    def _object(self) -> dict[str, Any]:
        bracket = self.open()
        members: dict[str, Any] = {}
        if self.sign != "}":
            self._member(members)
            while self.take(","):
                self._member(members)
        self.close("}", bracket)
        return members

    def _member(self, members: dict[str, Any]) -> None:
        token = self.token
        if token.kind not in ("name", "word", "string"):
            raise self.unexpected("a key")
        if token.kind == "name" and token.value in RESERVED:
            raise Fault(f"'{token.value}' is a reserved word; as a key it needs quotes", token.at)
        self.advance()
        self.expect(":")
        members[token.value] = self._part()

    def _part(self) -> Any:
        """What an array or object may hold: a literal, or a number with its minus directly before it."""
        sign = self.take("-")
        if sign is None:
            return self.literal("a literal (arrays and objects hold nothing else)")
        if self.token.kind != "number" or not self.follows(sign):
            raise self.unexpected("a number directly behind its '-'")
        return -self.advance().value


def needs_sign(token: Token) -> bool:
    """Whether ``token`` is 2^63, which is an integer of 64 bits with a minus sign only."""
    return isinstance(token.value, int) and token.value > LARGEST


def no_graph(token: Token) -> Fault:
    """The fault of a word that belongs to graph relations."""
    return Fault("graph relations are not supported", token.at)
