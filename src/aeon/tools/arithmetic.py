"""Arithmetic on a written expression: exact fractions, no names but a few functions, bounded work, nothing executed."""

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction

MAX_LENGTH = 500
"""Characters of an expression."""
MAX_BITS = 4096
"""Size of any number on the way, numerator or denominator."""
MAX_DEPTH = 60

_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "^"})  # noqa: RUF001  # as people type them
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%(?!\s*[\d(.])")


def evaluate(expression: str) -> int | float:
    """The value of an expression such as "2 * (3 + 4) ^ 2", exact; a whole number comes back as int.

    Knows + - * / // % ^ **, brackets, "1,200", "15%" and abs, min, max, round, floor, ceil, sqrt.
    Raises ValueError that says what it does not understand or why there is no value.
    """
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression has {len(expression)} characters; at most {MAX_LENGTH} are read")
    text = _GROUPED.sub(lambda found: found[0].replace(",", ""), expression.translate(_SIGNS))
    text = _PERCENT.sub(r"(\1/100)", text.replace("^", "**")).strip().removesuffix("=").strip()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{expression!r} is no arithmetic expression; write one like 2 * (3 + 4)") from None
    try:
        return _number(_value(tree.body, 0))
    except ZeroDivisionError:
        raise ValueError(f"{expression!r} divides by zero") from None


def _value(node: ast.expr, depth: int) -> Fraction:
    if depth > MAX_DEPTH:
        raise ValueError(f"the expression is nested deeper than {MAX_DEPTH} brackets")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(_literal(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, depth + 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, depth + 1), _value(right, depth + 1))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _bounded(_BINARY[type(sign)](_value(left, depth + 1), _value(right, depth + 1)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return _call(name, [_value(arg, depth + 1) for arg in args])
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is not arithmetic; use numbers, + - * / ^ and brackets")


def _literal(number: float) -> Fraction:
    if not math.isfinite(number):
        raise ValueError("a number in the expression is too large")
    return Fraction(repr(number))


def _call(name: str, values: list[Fraction]) -> Fraction:
    try:
        return _bounded(_FUNCTIONS[name](*values))
    except TypeError:
        raise ValueError(f"{name} does not take {len(values)} number(s)") from None


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        return _root(base) if exponent == Fraction(1, 2) else _real_power(base, exponent)
    power = int(exponent)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(power) > MAX_BITS and abs(base) not in (0, 1):
        raise ValueError("a power in the expression is too large")
    return base**power


def _real_power(base: Fraction, exponent: Fraction) -> Fraction:
    if base < 0:
        raise ValueError("a fractional power of a negative number has no real value")
    try:
        return _literal(float(base) ** float(exponent))
    except OverflowError:
        raise ValueError("a power in the expression is too large") from None


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise ValueError("the square root of a negative number has no real value")
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else Fraction(repr(math.sqrt(value)))


def _rounded(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    return Fraction(round(value, int(digits)))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ValueError("a number in the expression is too large")
    return value


def _number(value: Fraction) -> int | float:
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        raise ValueError("the result is too large") from None


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
