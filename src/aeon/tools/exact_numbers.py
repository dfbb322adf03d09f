"""Exact numbers: fractions, factorials, binomials, roots, percent, divisors and primes, with bounded work."""

import ast
import math
import operator
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple, TypeVar

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.exact_requests import NUMBER, to_expression

_Result = TypeVar("_Result")

MAX_LENGTH = 500
"""Characters of an expression."""
MAX_DIGITS = 10_000
"""Digits of any number, numerator or denominator."""
_MAX_BITS = int(MAX_DIGITS * math.log2(10))
_MAX_DEPTH = 60
_MAX_FACTORED = 10**12
"""Largest number whose factors are looked for, by trial division."""
_MAX_TESTED = 3_317_044_064_679_887_385_961_981
"""Below it, these bases prove a number prime (Sorenson and Webster, 2015)."""
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_ROOT_DIGITS = 30
"""Significant digits of a root that is not a fraction."""

_GROUPED = LazyPattern(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_NAME = LazyPattern(r"[^\W\d_]")
_FACTORIAL = LazyPattern(r"(?<![\w.)])(\d+)\s*!(?!\s*!)")
_PERCENT = LazyPattern(rf"({NUMBER})\s*%(?!\s*[\w(.])")
_WRITTEN = LazyPattern(r"(?:[-+*/%^!()., 0-9]|change|binomial|root|sqrt|gcd|lcm|factorial|factors|is_prime|abs|round)+")


class ExactNumber(NamedTuple):
    """A value and how it is written. `is_exact` is False for a root that is not a fraction."""

    text: str
    decimal: float | None
    """The value as a decimal number, if the text is not one already."""
    is_exact: bool


class _Tree(NamedTuple):
    """An expression being evaluated. `inexact` gets an entry for each root that was rounded."""

    text: str
    inexact: list[str]


def evaluate_exactly(expression: str) -> ExactNumber:
    """Returns the exact value of an expression such as "2/3 + 3/4", "15!/13!", "10 choose 3" or "8% of 250".

    Raises ValueError, which names the invalid part or the bound that was passed.
    """
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression has {len(expression)} characters; at most {MAX_LENGTH} are read")
    text = _in_python(to_expression(expression))
    body = _parsed(text) if _WRITTEN.fullmatch(text) else None
    if body is None:
        raise ValueError(f"{expression!r} is not an expression; write one like 2/3 + 3/4, 15!/13! or binomial(10, 3)")
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Name) and body.func.id in _WORDED and body.args:
        values = [_value(arg, _Tree(text, []), 0) for arg in body.args]
        return ExactNumber(_called(_WORDED, body.func.id, values), None, is_exact=True)
    tree = _Tree(text, [])
    try:
        value = _value(body, tree, 0)
    except ZeroDivisionError:
        raise ValueError(f"{expression!r} divides by zero") from None
    return _written(value, is_exact=not tree.inexact, as_decimal="%" in expression or "." in expression)


def _in_python(expression: str) -> str:
    """The expression in Python's syntax."""
    if not _NAME.search(expression):
        expression = _GROUPED.sub(lambda match: match[0].replace(",", ""), expression)
    while (bracket := expression.find(")!")) >= 0 and (start := _opening(expression, bracket)) >= 0:
        expression = f"{expression[:start]}factorial{expression[start : bracket + 1]}{expression[bracket + 2 :]}"
    return _PERCENT.sub(r"(\1/100)", _FACTORIAL.sub(r"factorial(\1)", expression)).replace("^", "**")


def _opening(expression: str, closing: int) -> int:
    """The place of the bracket that is closed there, or -1 if there is none, or before a `!!`, or in a call."""
    depth = 0
    for place in range(closing, -1, -1):
        depth += {")": 1, "(": -1}.get(expression[place], 0)
        if not depth:
            is_called = place and (expression[place - 1].isalnum() or expression[place - 1] == "_")
            return -1 if is_called or expression[closing + 2 : closing + 3] == "!" else place
    return -1


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, tree: _Tree, depth: int) -> Fraction:
    if depth > _MAX_DEPTH:
        raise ValueError(f"the expression is nested deeper than {_MAX_DEPTH} brackets")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            value = Fraction(ast.get_source_segment(tree.text, node) or str(number))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = _value(operand, tree, depth + 1) * (-1 if isinstance(sign, ast.USub) else 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            value = _power(_value(left, tree, depth + 1), _value(right, tree, depth + 1), tree)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            value = _BINARY[type(sign)](_value(left, tree, depth + 1), _value(right, tree, depth + 1))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if args:
            value = _call(name, [_value(arg, tree, depth + 1) for arg in args], tree)
        case _:
            part = ast.get_source_segment(tree.text, node) or tree.text
            raise ValueError(f"{part[:100]!r} is not a number or a known function")
    return _bounded(value)


def _call(name: str, values: list[Fraction], tree: _Tree) -> Fraction:
    if name in ("sqrt", "root") and len(values) == (1 if name == "sqrt" else 2):
        return _root(*values, tree=tree)
    if name not in _FUNCTIONS:
        reason = "stands alone" if name in _WORDED else f"does not take {len(values)} number(s)"
        raise ValueError(f"{name} {reason}")
    return _called(_FUNCTIONS, name, values)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        raise ValueError(f"a number has more than {MAX_DIGITS:,} digits")
    return value


def _check_bits(bits: float) -> None:
    """Refuses a result by its estimated size, before it is computed."""
    if bits > _MAX_BITS:
        raise ValueError(f"a number has more than {MAX_DIGITS:,} digits")


def _power(base: Fraction, exponent: Fraction, tree: _Tree) -> Fraction:
    if exponent.denominator != 1:
        return _power(_root(base, Fraction(exponent.denominator), tree=tree), Fraction(exponent.numerator), tree)
    if abs(base) not in (0, 1):
        _check_bits((max(base.numerator.bit_length(), base.denominator.bit_length()) - 1) * abs(exponent.numerator))
    elif abs(exponent) > _MAX_BITS:
        exponent = Fraction(2 + exponent.numerator % 2, 1) * (1 if exponent > 0 else -1)
    return _bounded(base ** int(exponent))


def _root(value: Fraction, degree: Fraction = Fraction(2), *, tree: _Tree) -> Fraction:
    """The root, exactly if it is a fraction, else with `_ROOT_DIGITS` significant digits."""
    if degree.denominator != 1 or not 1 <= degree <= _MAX_BITS:
        raise ValueError(f"{degree} cannot be the degree of a root; use a whole number from 1 to {_MAX_BITS:,}")
    if value < 0 and degree % 2 == 0:
        raise ValueError("an even root of a negative number has no real value")
    if value < 0:
        return -_root(-value, degree, tree=tree)
    over, under = (_whole_root(part, int(degree)) for part in (value.numerator, value.denominator))
    root = Fraction(over, under)
    if root**degree == value:
        return root
    tree.inexact.append("root")
    context = Context(prec=_ROOT_DIGITS + 20)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    power = context.power(decimal, context.divide(Decimal(1), Decimal(int(degree))))
    return Fraction(Context(prec=_ROOT_DIGITS).create_decimal(power))


def _whole_root(number: int, degree: int) -> int:
    """The largest whole number whose power is at most `number`, by Newton's method."""
    if degree == 2:  # noqa: PLR2004  # a square root
        return math.isqrt(number)
    if number < 2 or degree == 1:  # noqa: PLR2004  # its own root
        return number
    root = 1 << (number.bit_length() // degree + 1)
    while True:
        lower = ((degree - 1) * root + number // root ** (degree - 1)) // degree
        if lower >= root:
            return root
        root = lower


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise ValueError(f"{value} is not a whole number")
    return value.numerator


def _factorial(value: Fraction) -> Fraction:
    number = _whole(value)
    if number < 0:
        raise ValueError("a negative number has no factorial")
    _check_bits(math.lgamma(min(number, 10**9) + 1) / math.log(2))
    return Fraction(math.factorial(number))


def _binomial(upper: Fraction, lower: Fraction) -> Fraction:
    n, k = _whole(upper), _whole(lower)
    if n < 0 or k < 0:
        raise ValueError("binomial takes two numbers from 0")
    k = min(k, n - k)
    if k > 0:
        _check_bits(k * (math.log2(n) - math.log2(k)))  # (n/k)^k is a lower bound
    return Fraction(math.comb(n, k) if k >= 0 else 0)


def _absolute(value: Fraction) -> Fraction:
    return abs(value)


def _round(value: Fraction, digits: Fraction = Fraction(0)) -> Fraction:
    if abs(digits) > MAX_DIGITS:
        raise ValueError(f"round takes at most {MAX_DIGITS:,} places")
    return Fraction(round(value, _whole(digits)))


def _gcd(*values: Fraction) -> Fraction:
    return Fraction(math.gcd(*map(_whole, values)))


def _lcm(*values: Fraction) -> Fraction:
    return Fraction(math.lcm(*map(_whole, values)))


def _change(before: Fraction, after: Fraction) -> str:
    """By how many percent a value changed."""
    if not before:
        raise ValueError("a change from 0 has no value in percent")
    number = _written((after - before) / abs(before) * 100, is_exact=True, as_decimal=True)
    return f"{number.text}%"


def _is_prime(value: Fraction) -> str:
    number = _whole(value)
    if number >= _MAX_TESTED:
        raise ValueError(f"{number} is too large for a proof; numbers below {_MAX_TESTED} are tested")
    return "yes" if _passes_miller_rabin(number) else "no"


def _passes_miller_rabin(number: int) -> bool:
    if number < 2 or any(number % base == 0 for base in _BASES):  # noqa: PLR2004  # the first prime
        return number in _BASES
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes_base(number, base, odd, twos) for base in _BASES)


def _passes_base(number: int, base: int, odd: int, twos: int) -> bool:
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    return any((power := pow(power, 2, number)) == number - 1 for _ in range(twos - 1))


def _factors(value: Fraction) -> str:
    number = _whole(value)
    if not 1 < number <= _MAX_FACTORED:
        raise ValueError(f"factors takes a number from 2 to {_MAX_FACTORED:,}")
    found: list[str] = []
    divisor = 2
    while divisor * divisor <= number:
        exponent = 0
        while number % divisor == 0:
            number, exponent = number // divisor, exponent + 1
        if exponent:
            found.append(f"{divisor}^{exponent}" if exponent > 1 else str(divisor))
        divisor += 1 if divisor == 2 else 2  # noqa: PLR2004  # then the odd ones
    return " * ".join([*found, str(number)] if number > 1 else found)


def _called(functions: dict[str, Callable[..., _Result]], name: str, values: list[Fraction]) -> _Result:
    try:
        return functions[name](*values)
    except TypeError:
        raise ValueError(f"{name} does not take {len(values)} number(s)") from None


def _written(value: Fraction, *, is_exact: bool, as_decimal: bool) -> ExactNumber:
    if value.denominator == 1:
        return ExactNumber(_digits(value.numerator), None, is_exact)
    if (as_decimal or not is_exact) and (decimal := _ending_decimal(value)) is not None:
        return ExactNumber(decimal, None, is_exact)
    return ExactNumber(f"{_digits(value.numerator)}/{_digits(value.denominator)}", _as_decimal(value), is_exact)


def _as_decimal(value: Fraction) -> float | None:
    """The nearest float, or None if the value is too large or too small for one."""
    try:
        return float(value) or None
    except OverflowError:
        return None


def _digits(number: int) -> str:
    """All digits; `str` refuses more than 4,300."""
    return f"{Decimal(number):f}"


def _ending_decimal(value: Fraction) -> str | None:
    """The value as a decimal number with all its digits, or None if they never end or are too many."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1 or places > MAX_DIGITS:
        return None
    digits = _digits(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}"


_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": _absolute,
    "binomial": _binomial,
    "factorial": _factorial,
    "gcd": _gcd,
    "lcm": _lcm,
    "round": _round,
}
_WORDED: dict[str, Callable[..., str]] = {"change": _change, "factors": _factors, "is_prime": _is_prime}
"""Functions whose result is a text; they stand alone."""
