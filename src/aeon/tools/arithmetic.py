"""Evaluation of arithmetic expressions: exact fractions, a few functions, bounded work, no code execution."""

import ast
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from aeon.base.lazy_pattern import LazyPattern

MAX_LENGTH = 500
"""Characters of an expression."""
MAX_BITS = 4096
"""Bits of any intermediate number, numerator or denominator."""
MAX_DEPTH = 60
MAX_DIGITS = 300
"""Places that `round` takes, before and after the point."""
_MAX_EXPONENT = 1200
"""Largest power of ten of a literal."""
_MAX_DEGREE = 64
"""Roots up to this degree are computed exactly."""
_SCALE = 128
"""Bits of a square root that is not a fraction."""

_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "^"})  # noqa: RUF001  # as people type them
_GROUPED = LazyPattern(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_SEPARATED = LazyPattern(r"\b(?:min|max|round)\s*\(")
"""Functions whose arguments are separated by commas, which then do not group digits: max(100,200) is 200."""
_PERCENT = LazyPattern(r"(\d+(?:\.\d+)?)\s*%(?!\s*[\w(.])")
_FOREIGN = LazyPattern(r"['\"\\#]|[\d.](?![eE][-+\d])[^\W\d_]")
"""Quotes, comments, and letters next to digits: never arithmetic, and Python warns about some of them."""


def evaluate_expression(expression: str) -> int | float:
    """Returns the exact value of an expression such as "2 * (3 + 4) ^ 2"; a whole number as int.

    Supports + - * / // % ^ **, brackets, "1,200", "15%" and abs, min, max, round (half to even), floor, ceil, sqrt.
    Raises ValueError, which names the invalid part or the reason why it has no value.
    """
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression has {len(expression)} characters; at most {MAX_LENGTH} are read")
    text = _plain(expression)
    try:
        tree = None if _FOREIGN.search(text) else ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None:
        raise ValueError(f"{expression!r} is not an arithmetic expression; write one like 2 * (3 + 4)")
    try:
        return _number(_value(tree.body, text, 0))
    except ZeroDivisionError:
        raise ValueError(f"{expression!r} divides by zero") from None


def _plain(expression: str) -> str:
    """The expression in Python syntax."""
    text = expression.translate(_SIGNS).replace("^", "**")
    if not _SEPARATED.search(text):
        text = _GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    return _PERCENT.sub(r"(\1/100)", text).strip().removesuffix("=").strip()


def _value(node: ast.expr, text: str, depth: int) -> Fraction:
    if depth > MAX_DEPTH:
        raise ValueError(f"the expression is nested deeper than {MAX_DEPTH} brackets")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(Fraction(number) if isinstance(number, int) else _literal(_source(node, text)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, text, depth + 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, text, depth + 1), _value(right, text, depth + 1))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _bounded(_BINARY[type(sign)](_value(left, text, depth + 1), _value(right, text, depth + 1)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return _call(name, [_value(arg, text, depth + 1) for arg in args])
        case _:
            raise ValueError(f"{_source(node, text)[:100]!r} is not arithmetic; use numbers, + - * / ^ and brackets")


def _source(node: ast.expr, text: str) -> str:
    return ast.get_source_segment(text, node) or text


def _literal(text: str) -> Fraction:
    """A decimal literal, exactly: a float would lose digits."""
    number = Decimal(text)
    if abs(number.adjusted()) > _MAX_EXPONENT:
        raise ValueError(f"the number {text} is too large or too small")
    return Fraction(number)


def _call(name: str, values: list[Fraction]) -> Fraction:
    try:
        return _bounded(_FUNCTIONS[name](*values))
    except TypeError:
        raise ValueError(f"{name} does not take {len(values)} number(s)") from None


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        return _fractional_power(base, exponent)
    power = int(exponent)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(power) > MAX_BITS and abs(base) not in (0, 1):
        raise ValueError("a power in the expression is too large")
    return base**power


def _fractional_power(base: Fraction, exponent: Fraction) -> Fraction:
    """Exact if the root is a fraction (64 ^ (1/3) is 4), else with the precision of a float."""
    if base < 0:
        raise ValueError("a fractional power of a negative number has no real value")
    over, under = (_whole_root(part, exponent.denominator) for part in (base.numerator, base.denominator))
    if over is not None and under is not None:
        return _power(Fraction(over, under), Fraction(exponent.numerator))
    try:
        power = float(base) ** float(exponent)
    except OverflowError:
        raise ValueError("a power in the expression is too large") from None
    if not power:
        raise ValueError("a power in the expression is too small")
    return Fraction(repr(power))


def _whole_root(number: int, degree: int) -> int | None:
    """The whole number whose `degree`-th power is `number`, or None if there is none within bounds."""
    if number in (0, 1):
        return number
    if degree > _MAX_DEGREE:
        return None
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < number else (low, middle)
    return low if low**degree == number else None


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise ValueError("the square root of a negative number has no real value")
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if root * root == value:
        return root
    return Fraction(math.isqrt(value.numerator * value.denominator << 2 * _SCALE), value.denominator << _SCALE)


def _rounded(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    if digits.denominator != 1 or abs(digits) > MAX_DIGITS:
        raise ValueError(f"round takes a whole number of places, at most {MAX_DIGITS}")
    return Fraction(round(value, int(digits)))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ValueError("a number in the expression is too large")
    return value


def _number(value: Fraction) -> int | float:
    if value.denominator == 1:
        return value.numerator
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("the result is too large") from None
    if not number:
        raise ValueError("the result is too small to differ from zero")
    return number


def _absolute(value: Fraction) -> Fraction:
    return abs(value)


def _least(*values: Fraction) -> Fraction:
    return min(values)


def _greatest(*values: Fraction) -> Fraction:
    return max(values)


def _floor(value: Fraction) -> Fraction:
    return Fraction(math.floor(value))


def _ceil(value: Fraction) -> Fraction:
    return Fraction(math.ceil(value))


_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": _absolute,
    "min": _least,
    "max": _greatest,
    "round": _rounded,
    "floor": _floor,
    "ceil": _ceil,
    "sqrt": _root,
}
