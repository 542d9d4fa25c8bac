"""Numbers for people: thousands separated, counts beyond a quadrillion rounded."""

from __future__ import annotations

import math

__all__ = ["number_text"]

_EXACT = 10**15


def number_text(number: int | float, exact_below: int = _EXACT) -> str:
    """Return a count with its thousands separated, rounded to three digits where it is very large.

    Counts of derivations may have thousands of digits, too many for a float and for Python's `str`.

    >>> number_text(1234567), number_text(10**400 // 3), number_text(math.inf)
    ('1,234,567', '3.33e399', 'infinite')
    """
    if number == math.inf:
        return "infinite"
    if isinstance(number, float) or abs(number) < exact_below:
        return f"{number:,}"
    exponent = max(0, int((number.bit_length() - 1) * math.log10(2)) - 4)
    rounded = str(number // 10**exponent)  # four or five leading digits
    exponent += len(rounded) - 1
    mantissa = float(f"{rounded[0]}.{rounded[1:]}")
    if round(mantissa, 2) >= 10:
        mantissa, exponent = mantissa / 10, exponent + 1
    return f"{mantissa:.2f}e{exponent}"
