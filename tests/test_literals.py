"""No size at which the package changes its way stands in the middle of it: all are in `schemata/thresholds.py`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT

PLACES = (
    *(
        "budget.py",
        "analysis/contents.py",
        "constraints",
        "correctness",
        "decoding",
        "engine",
        "kernels",
        "machine",
        "learning",
        "playground",
        "editing",
    ),
    "ordered",
)
SMALL = 7  # up to here numbers belong to what is said: two ends of a link, three kinds of moves
OPTION = "an option, whose default the page of the function says"
REASONS = {
    "analysis": {"limit=10": OPTION},
    "constraints": {
        "_SMALL": "rounding",
        "_BETTER": "rounding",
        "_EXACT": "rounding",
        "random=12": OPTION,
        "limit=1000": OPTION,
        "max_words=10": OPTION,
    },
    "correctness": {
        "_BUSY": "seconds by the clock for one of the processor: no size",
        "COEFFICIENTS": "a page says by how many numbers an equation was found",
        "_SPARE": "so that no equation fits by chance",
        "max_n=10": OPTION,
        "SEVERAL": "the types of words in certificates depend on it",
        "VERSION": "of a format",
        "_MANY": "the meaning of words in certificates depends on it: another number makes them others",
    },
    "decoding": {"_NONE": "stands for minus infinity", "_LEAST": "stands for minus infinity"},
    "engine": {
        "_FIRST": "the first of numbers that nothing else has",
        "_GROWTH": "the power of a formula",
        "limit=10": OPTION,
    },
    "kernels": {
        "_ABSENT": "stands for what is absent",
        "_REMEMBERS": "the first of numbers that nothing else has",
        "-(1 << 31) <= alone < 1 << 31": "what the four bytes of an element hold",
    },
    "machine": {},
    "ordered": {"NONE": "stands for minus infinity", "_NO_LIMIT": "no limit"},
    "budget.py": {},
    "learning": {
        "longest=100": OPTION,
        "resamples=1000": OPTION,
        "iterations=100": OPTION,
        "VERSION": "of a format",
        **dict.fromkeys(
            ["MARGIN", "BITS", "DEPTH", "PAD", "_TAGS", "_RARE"],
            "the form of a model: another number makes models that files do not fit",
        ),
        "SCALARS": "how many features there are",
        "_LEAST": "rounding",
        "_NEUTRAL": "any number but 0",
    },
    "playground": {
        "CELL": "of a picture: what more a cell has is counted there",
        "_PATIENCE": "seconds for a program of others, without which its page is as it is anyway",
        "_MOST_SEEDS": "of variants, which all are others",
        "1000000.0 < abs(value) < math.inf": "so that sums are right to a millionth; a message says it",
    },
    "editing": {"_FAR": "no line is so long", "_FIRST": "the column behind the first character"},
}  # fmt: skip
STATE = ROOT / "schemata" / "kernels" / "runtime.py"  # its constants are places in the state of a kernel


def number(node: ast.expr | None) -> float | None:
    """Return the number that an expression without variables is."""
    match node:
        case ast.Constant(bool()):
            return None
        case ast.Constant(int() | float() as value):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            value = number(operand)
            return None if value is None else -value
        case ast.BinOp(left, _, right) if number(left) is not None and number(right) is not None:
            return float(eval(compile(ast.Expression(node), "", "eval")))
    return None


def literals(text: str) -> Iterator[str]:
    """Yield the names of numeric constants, and sizes in comparisons, defaults, bounds and beginnings of attributes."""
    tree = ast.parse(text)
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for body in bodies:
        for node in body:
            match node:
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                    if number(value) is not None and (body is tree.body or _is_large(value)):
                        yield name
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left, _, others):
                found = _is_large(left) or any(map(_is_large, others))
            case ast.Call(ast.Name("min" | "max" | "islice"), arguments):
                found = any(map(_is_large, arguments))
            case ast.arguments(posonly, named, _, only, more, _, defaults):
                last = [*posonly, *named][len(posonly) + len(named) - len(defaults) :]
                pairs = zip([*last, *only], [*defaults, *more], strict=True)
                yield from (
                    f"{one.arg}={ast.unparse(value)}" for one, value in pairs if value and _is_large(value)
                )
                found = False
            case ast.Assign([ast.Attribute()], value):
                found = _is_large(value)
            case ast.Call(ast.Name("lru_cache"), _, keywords):
                found = any(_is_large(one.value) for one in keywords)
            case _:
                found = False
        if found:
            yield ast.unparse(node)


def _is_large(node: ast.expr | None) -> bool:
    value = number(node)
    return value is not None and abs(value) > SMALL


def files() -> Iterator[Path]:
    for place in PLACES:
        path = ROOT / "schemata" / place
        yield from [path] if path.is_file() else sorted(path.glob("*.py"))


def test_each_size_is_a_threshold() -> None:
    met: dict[str, set[str]] = {room: set() for room in REASONS}
    for path in files():
        room = path.relative_to(ROOT / "schemata").parts[0]
        if path != STATE:
            met[room] |= set(literals(path.read_text(encoding="utf-8")))
    assert not {
        room: found - REASONS[room].keys() for room, found in met.items() if found - REASONS[room].keys()
    }
    assert not {room: gone for room, known in REASONS.items() if (gone := known.keys() - met[room])}
    assert sum(map(len, met.values())) > 10
    assert sum(1 for _ in files()) > 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_MANY = 1 << 4", ["_MANY"]),
        ("class A:\n    most: int = 10_000", ["most"]),
        ("def f(x):\n    return x > 1_000", ["x > 1000"]),
        ("def f(x, *, most=20):\n    return x", ["most=20"]),
        ("x = min(y, 100)", ["min(y, 100)"]),
        ("def f(self):\n    self.room = 4096", ["self.room = 4096"]),
        ("def f(x):\n    return 0 < x <= 2 and min(x, 3)", []),
        ("NAME = 'a'; ON = True", []),
    ],
)
def test_the_search_finds_them(text: str, expected: list[str]) -> None:
    assert list(literals(text)) == expected
