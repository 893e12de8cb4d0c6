"""Tokens to tree (reference/expressions.md, sections 3 and 11): recursive descent with few frames for each level.

Operators of one level are read in loops and prefix operators in runs, so the call stack grows with nesting alone, and
nesting is counted.
"""

from typing import Literal

from flows.expressions.cursor import GRAPH_WORDS, KEYWORDS, RESERVED, Cursor, needs_sign, no_graph
from flows.expressions.errors import Fault
from flows.expressions.filters import MOST_ARGUMENTS
from flows.expressions.tokens import Token
from flows.expressions.tree import (
    Access,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Filter,
    Filtered,
    Index,
    Logic,
    Member,
    Name,
    Negative,
    Not,
    Operation,
    Tree,
)

_ORS = ("||", "or")
_ANDS = ("&&", "and")
_SUMS = ("+", "-")
_PRODUCTS = ("*", "/", "%")
_PREFIXES = ("!", "-")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in", "not")


def parse_tree(text: str) -> Tree:
    """The tree of ``text``; raises :class:`Fault`, with its offset, for what is not in the language."""
    cursor = Cursor(text)
    if cursor.is_at_end:
        raise Fault("the expression is empty", cursor.token.at)
    tree = _expression(cursor)
    if not cursor.is_at_end:
        raise cursor.unexpected("an operator or the end")
    return tree


# Operators, loosest first


def _expression(cursor: Cursor) -> Tree:
    alternatives: list[Tree] = []
    conditions = [_comparison(cursor)]
    while True:
        if cursor.sign in _ANDS:
            cursor.advance()
            conditions.append(_comparison(cursor))
            continue
        alternatives.append(_joined("and", conditions))
        if cursor.sign not in _ORS:
            return _joined("or", alternatives)
        cursor.advance()
        conditions = [_comparison(cursor)]


def _joined(operator: Literal["and", "or"], parts: list[Tree]) -> Tree:
    return Logic(operator, tuple(parts), parts[0].at) if len(parts) > 1 else parts[0]


def _comparison(cursor: Cursor) -> Tree:
    nots = _run_of(cursor, "not")
    tree = _sum(cursor)
    if cursor.sign in _COMPARISONS:
        operator = cursor.advance()
        sign = operator.value
        if sign == "not":
            cursor.expect("in")
            sign = "not in"
        tree = Comparison(sign, tree, _sum(cursor), operator.at)
        if cursor.sign in _COMPARISONS:
            raise Fault("comparisons do not chain; join two of them with 'and'", cursor.token.at)
    return _prefixed(cursor, nots, tree)


def _sum(cursor: Cursor) -> Tree:
    first = _product(cursor, _operand(cursor))
    terms: list[Operation] = []
    while cursor.sign in _SUMS:
        sign = cursor.advance()
        terms.append(Operation(sign.value, _product(cursor, _operand(cursor)), sign.at))
    return Arithmetic(first, tuple(terms), first.at) if terms else first


def _product(cursor: Cursor, first: Tree) -> Tree:
    factors: list[Operation] = []
    while cursor.sign in _PRODUCTS:
        sign = cursor.advance()
        factors.append(Operation(sign.value, _operand(cursor), sign.at))
    return Arithmetic(first, tuple(factors), first.at) if factors else first


# Operands


def _operand(cursor: Cursor) -> Tree:
    if cursor.sign in _PREFIXES:
        return _signed(cursor)
    tree = _postfix(cursor, [])
    return _filtered(cursor, tree) if cursor.sign == "|" else tree


def _signed(cursor: Cursor) -> Tree:
    """``!`` binds looser than a filter and ``-`` tighter, so a run of ``!`` before the first ``-`` stands apart."""
    bangs = _run_of(cursor, "!")
    signs = _run_of(cursor, "-", "!") if cursor.sign == "-" else []
    tree = _prefixed(cursor, signs, _postfix(cursor, signs))
    if cursor.sign == "|":
        tree = _filtered(cursor, tree)
    return _prefixed(cursor, bangs, tree)


def _run_of(cursor: Cursor, *operators: str) -> list[Token]:
    """Prefix operators as long as they last. Each is a level of nesting until :func:`_prefixed` closes it."""
    run: list[Token] = []
    while cursor.sign in operators:
        run.append(cursor.open())
    return run


def _prefixed(cursor: Cursor, operators: list[Token], tree: Tree) -> Tree:
    cursor.nesting -= len(operators)
    for operator in reversed(operators):
        tree = Negative(tree, operator.at) if operator.value == "-" else Not(tree, operator.at)
    return tree


def _filtered(cursor: Cursor, operand: Tree) -> Tree:
    filters: list[Filter] = []
    while cursor.take("|"):
        token = cursor.token
        if token.kind != "name":
            raise cursor.unexpected("the name of a filter")
        if token.value not in MOST_ARGUMENTS:
            raise Fault(f"there is no filter '{token.value}'; there are {', '.join(MOST_ARGUMENTS)}", token.at)
        cursor.advance()
        arguments = _arguments(cursor) if cursor.sign == "(" else ()
        if len(arguments) > MOST_ARGUMENTS[token.value]:
            raise Fault(f"the filter '{token.value}' does not take {len(arguments)} arguments", token.at)
        filters.append(Filter(token.value, arguments, token.at))
    if cursor.token.kind == "member" or cursor.sign in ("[", "("):
        raise Fault("nothing but another filter follows a filter; put it in parentheses", cursor.token.at)
    return Filtered(operand, tuple(filters), operand.at)


def _postfix(cursor: Cursor, signs: list[Token]) -> Tree:
    base = _atom(cursor, signs)
    steps: list[Member | Index | Call] = []
    while True:
        if cursor.token.kind == "member":
            steps.append(_member(cursor))
        elif cursor.sign == "[":
            bracket = cursor.open()
            steps.append(Index(_expression(cursor), bracket.at))
            cursor.close("]", bracket)
        else:
            break
    if not steps:
        return base
    if isinstance(base, Access):  # it stood in parentheses, which change nothing here
        return Access(base.base, (*base.steps, *steps), base.at)
    return Access(base, tuple(steps), base.at)


def _member(cursor: Cursor) -> Member | Call:
    if cursor.token.at != cursor.end:
        raise Fault("no white space before a dot", cursor.token.at)
    member = cursor.advance()
    if cursor.sign == "(":
        return Call(member.value, _arguments(cursor), member.at)
    return Member(member.value, member.at)


def _arguments(cursor: Cursor) -> tuple[Tree, ...]:
    parenthesis = cursor.open()
    arguments: list[Tree] = []
    if cursor.sign != ")":
        arguments.append(_expression(cursor))
        while cursor.take(","):
            arguments.append(_expression(cursor))
    cursor.close(")", parenthesis)
    return tuple(arguments)


def _atom(cursor: Cursor, signs: list[Token]) -> Tree:
    """The innermost operand. The minus before 2^63 is taken out of ``signs``: it makes one literal with its digits."""
    token = cursor.token
    if cursor.sign == "(":
        parenthesis = cursor.open()
        tree = _expression(cursor)
        cursor.close(")", parenthesis)
        return tree
    if token.kind == "name" and token.value not in KEYWORDS:
        return _name(cursor)
    if signs and needs_sign(token) and cursor.follows(signs[-1]):
        signs.pop()
        cursor.nesting -= 1
        return Constant(-cursor.advance().value, token.at)
    return Constant(cursor.literal(), token.at)


def _name(cursor: Cursor) -> Name:
    token = cursor.advance()
    if token.value in GRAPH_WORDS:
        raise no_graph(token)
    if token.value in RESERVED:
        raise Fault(f"'{token.value}' is a reserved word; as a method it follows a dot", token.at)
    if cursor.sign == "(":
        raise Fault(f"there are no functions; write value.{token.value}(...) for a method", token.at)
    return Name(token.value, token.at)
