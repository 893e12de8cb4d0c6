"""The expression and template language of conditions and templated fields (reference/expressions.md).

Total and pure: no loops, no clock, no access to anything but the context, and limits instead of time-outs. Nothing here
knows Django. Each part is read once and evaluated often::

    parse("input.total > 100").evaluate(context)
    parse_condition("{{ input.total > 100 }}").holds(context)
    parse_template({"order": "${input.order_id}"}).resolve(context)

``context`` is a mapping of top-level names. It may be lazy: only what is evaluated is asked for, and ``KeyError`` means
an unknown name. Values that come out are shared with the context; copy before changing them. The one error that comes
out is :class:`ExpressionError`.
"""

from flows.expressions.conditions import Condition, holds, parse_condition
from flows.expressions.errors import ExpressionError
from flows.expressions.expression import Expression, evaluate_text, parse
from flows.expressions.references import Hyphen, Key, Reference
from flows.expressions.templates import Template, parse_template, resolve
from flows.expressions.values import is_true

__all__ = [
    "Condition",
    "Expression",
    "ExpressionError",
    "Hyphen",
    "Key",
    "Reference",
    "Template",
    "evaluate_text",
    "holds",
    "is_true",
    "parse",
    "parse_condition",
    "parse_template",
    "resolve",
]
