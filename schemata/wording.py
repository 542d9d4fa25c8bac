"""Counts and names in words, as every message writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

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


def quantity(number: int | float, one: str, several: str | None = None) -> str:
    """Return how many things there are; `several` is the plural where it is not made by an s.

    >>> quantity(1, "word"), quantity(0.5, "second"), quantity(2, "dictionary", "dictionaries")
    ('1 word', '0.5 seconds', '2 dictionaries')
    """
    shown = f"{number:g}" if isinstance(number, float) else number_text(number)
    return f"{shown} {one if number == 1 else several or f'{one}s'}"


def listing(texts: Sequence[str]) -> str:
    """Return texts as a list in a sentence.

    >>> listing(["a"]), listing(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(texts[:-1]), *texts[-1:]] if len(texts) > 1 else texts)


def named(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema's name with its parameters, as people read it.

    >>> named("mh", {"k": 4}), named("wg1", {})
    ('mh (k = 4)', 'wg1')
    """
    return noted(schema, ", ".join(f"{name} = {value}" for name, value in parameters.items()))


def reference(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema with its parameters as the command line takes it.

    >>> reference("mh", {"k": 4}), reference("wg1", {})
    ('mh:k=4', 'wg1')
    """
    settings = ",".join(f"{name}={value}" for name, value in parameters.items())
    return f"{schema}:{settings}" if settings else schema


def stopped_by(reason: str) -> str:
    """Describe the early end of a run: the name of a limit, "interrupt", or "worker" for one that was killed.

    >>> stopped_by("steps"), stopped_by("interrupt")
    ('stopped by the limit on steps', 'interrupted')
    """
    killed = "stopped: a worker process was killed; fewer --jobs need less memory"
    said = {"interrupt": "interrupted", "worker": killed}
    return said.get(reason, f"stopped by the limit on {reason}")


def noted(name: str, note: str | None) -> str:
    """Return a name with a note in parentheses, if there is one.

    >>> noted("Link", "right"), noted("Link", None)
    ('Link (right)', 'Link')
    """
    return f"{name} ({note})" if note else name


def quoted(text: str, quote: str = '"') -> str:
    r"""Return a text in quotes, as a token that reads back to it.

    >>> print(quoted('5"'), quoted("N'", "'"))
    "5\"" 'N\''
    """
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return f"{quote}{escaped}{quote}"


def unquoted(token: str) -> str:
    r"""Return the text of a token in quotes, in which a backslash stands before a quote or a backslash.

    >>> print(unquoted('"5\""'), unquoted("'N\''"), unquoted(r'"\o"'))
    5" N' \o
    """
    return re.sub(r"\\([\\\"'])", r"\1", token[1:-1])
