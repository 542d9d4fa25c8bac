"""The check of the house and its drawing: figures, the order of rooms, and that the package keeps to the order."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from schemata import kinds
from tests.support import script

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"


@pytest.fixture(scope="module")
def house() -> ModuleType:
    return script("house")


@pytest.fixture(scope="module")
def drawing(house: ModuleType) -> ModuleType:
    return script("drawing")


@pytest.fixture(scope="module")
def schemata_modules(house: ModuleType) -> Any:
    return house.read_package(house.ROOT / "schemata")


def package(folder: Path, **modules: str) -> Path:
    base = folder / "small"
    for name, text in {"__init__": "", **modules}.items():
        path = base / (name.replace("__in__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return base


def test_rooms_know_only_those_before_them(house: ModuleType, schemata_modules: Any) -> None:
    rooms = tomllib.loads((CI / "house.toml").read_text(encoding="utf-8"))["rooms"]
    assert house.upwards(schemata_modules, rooms["order"]) == []


def test_arrows_upwards_are_found(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        errors="",
        low__in__one="def late():\n    from small.high import two\n",
        high__in__two="from small.low.one import late\nfrom small import errors\n",
    )
    modules = house.read_package(base)
    assert set(house.arrows(modules)) == {("low", "high"), ("high", "low"), ("high", "errors")}
    order = ["errors", "low", "high", "__init__"]
    assert house.upwards(modules, order) == ["low -> high: small.low.one imports upwards"]
    assert house.upwards(modules, ["errors", "low", "__init__"])[0] == "the order lacks the room high"


def test_types_of_answers_may_come_from_above(house: ModuleType, tmp_path: Path) -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from small.high.two import Proof\n"
    base = package(
        tmp_path,
        records="def ask(): ...\n",
        low__in__forwarder=f"from small.records import ask\n{types}def f() -> 'Proof': return ask('f')\n",
        low__in__late=types,
        high__in__two="from small.low import forwarder\n",
    )
    modules = house.read_package(base)
    order = ["records", "low", "high", "__init__"]
    assert house.upwards(modules, order) == ["low -> high: small.low.late imports upwards"]
    assert house.cycles(modules) == []


def test_modules_do_not_import_each_other(house: ModuleType, schemata_modules: Any) -> None:
    """The two formats of certificates in `correctness` are the one pair that still does."""
    pair = ["schemata.correctness.certificate", "schemata.correctness.gap_certificate"]
    assert [cycle for cycle in house.cycles(schemata_modules) if cycle != pair] == []


def test_cycles_are_found(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        room__in__a="from small.room import b\n",
        room__in__b="def f():\n    def g():\n        from small.room.c import C\n",
        room__in__c="from small.room.a import x\n",
        room__in__d="from small.room.a import x\n",
    )
    assert house.cycles(house.read_package(base)) == [["small.room.a", "small.room.b", "small.room.c"]]


def test_figures(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        room__in__a='"""About.\n"""\n\nimport os\nfrom small.room import b\n\n# why\nX = (\n    os,\n    b,\n)\n',
        room__in__b='__all__ = ["f"]\n\n\ndef f():\n    """Say."""\n    return 1\n',
        other__in__b="from small.room.a import X\n",
    )
    modules = house.read_package(base)
    assert {m.name: (m.code, m.boilerplate) for m in modules} == {
        "small": (0, 0), "small.room.a": (6, 2), "small.room.b": (3, 1), "small.other.b": (1, 1),
    }  # fmt: skip
    assert [(m.name, importer) for m, importer in house.fragments(modules)] == [
        ("small.room.b", "small.room.a")
    ]
    assert house.figures(modules) == {
        "files": 4, "code_lines": 10, "boilerplate_percent": 40.0, "fragments": 1, "repeated_basenames": 1,
        "largest": 6,
    }  # fmt: skip
    limits = {"code_lines": 10, "fragments": 0}
    rooms = {"order": ["room", "other", "__init__"]}
    assert house.complaints(modules, {"limits": limits, "rooms": rooms}) == ["fragments is 1, and may be 0"]


def test_the_drawing_is_that_of_the_imports(drawing: ModuleType, schemata_modules: Any) -> None:
    plan = tomllib.loads((CI / "house.toml").read_text(encoding="utf-8"))
    drawn = drawing.drawing(schemata_modules, plan)
    assert drawing.FILE.read_text(encoding="utf-8") == drawn, "python .ci/drawing.py draws it anew"


def test_no_arrow_of_the_drawing_leads_upwards(
    house: ModuleType, drawing: ModuleType, schemata_modules: Any
) -> None:
    root = ElementTree.fromstring(drawing.FILE.read_text(encoding="utf-8"))
    tops = {
        group.get("id", "").removeprefix("room-"): float(group[0].get("y", ""))
        for group in root.iter("{http://www.w3.org/2000/svg}g")
    }
    for room, target in house.arrows(schemata_modules):
        if {room, target} <= tops.keys():
            assert tops[room] > tops[target], f"{room} knows {target}"


def test_what_arrows_imply_is_left_out(drawing: ModuleType) -> None:
    arrows = {("b", "a"), ("c", "b"), ("c", "a"), ("d", "a"), ("a", "shared")}
    below = drawing.known_by(arrows, {"a", "b", "c", "d"})
    assert below == {"a": {"b", "d"}, "b": {"c"}, "c": set(), "d": set()}
    assert drawing.rows_of(below, ["shared", "a", "d", "b", "c"]) == [["a"], ["d", "b"], ["c"]]


def test_no_name_of_a_kind_is_compared() -> None:
    """Kinds of structures and grammars are values with traits: only their own module has their names."""
    package = ROOT / "schemata"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, text in texts.items()
        if path != package / "kinds.py"
        for line, name in names_compared(ast.parse(text))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    [
        "schema.grammar == 'd-rules'",
        "'context-free' != kind",
        "schema.structure in ('dependency tree', other)",
        "match kind:\n    case 'linkage' | None:\n        pass",
        "names = {'dependency-rules': 1}[kind]",
    ],
)
def test_compared_names_of_kinds_are_found(code: str) -> None:
    assert len(list(names_compared(ast.parse(code)))) == 1


def names_compared(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield names of kinds that are compared: in comparisons, in cases, and as keys of tables, if of two words."""
    for node in ast.walk(tree):
        sides: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                sides += side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
        elif isinstance(node, ast.MatchValue):
            sides = [node.value]
        elif isinstance(node, ast.Dict):  # such as {"facts": ...}, which may be any table
            sides = [x for x in node.keys if isinstance(x, ast.Constant) and re.search("[ -]", str(x.value))]
        for side in sides:
            if isinstance(side, ast.Constant) and side.value in (*kinds.GRAMMARS, *kinds.STRUCTURES):
                yield node.lineno, str(side.value)


COUNTED = re.compile(r"\| (.+) \| (\d+) \| (\d+) \| (\d+) \| (\d+), `(.+)` \|")


def test_the_table_of_costs_is_that_of_the_package() -> None:
    """What is there is counted exactly; the modules may lag behind by two, or by a tenth."""
    costs = script("costs")
    shown = {row[0]: row[1:] for row in COUNTED.findall(costs.PAGE.read_text("utf-8"))}
    counted = {row[0]: row[1:] for row in COUNTED.findall(costs.table())}
    assert len(counted) == 7
    for title, (there, *modules, _) in counted.items():
        assert shown.keys() == counted.keys()
        assert shown[title][0] == there, f"{title}: python .ci/costs.py counts anew"
        for before, now in zip(map(int, shown[title][1:4]), map(int, modules), strict=True):
            assert abs(before - now) <= max(2, now // 10), f"{title}: python .ci/costs.py counts anew"


def test_whatever_names_an_addition_is_counted(tmp_path: Path) -> None:
    costs = script("costs")
    base = package(
        tmp_path,
        values="class Node: ...\nLOG = 1\n",
        low__in__one="from small.values import Node as N\n\n\ndef f(x: N) -> str: return 'log'\n",
        low__in__two="from small import values as v\nprint(v.Node, v.LOG)\n",
        high__in__three="from small.low.one import f\nTEXT = 'log of it'\nNode = 'Node'\n",
    )
    asked = {
        "Node": {"small.values.Node"},
        "LOG": {"small.values.LOG"},
        "text": {"'log'"},
        "word": {"small.high: 'log'", "small.low.one.f"},
        "nothing": {"small.values.f"},
    }
    (found,) = costs.costs(base, iter([("a thing", asked)]))
    assert found.modules == {"Node": 3, "LOG": 2, "text": 1, "word": 2, "nothing": 0}
    assert found.row == "| a thing | 5 | 0 | 2 | 3, `Node` |"
