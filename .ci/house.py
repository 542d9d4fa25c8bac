#!/usr/bin/env python3
"""How large the package is, whether it has grown, and whether its rooms know only those before them.

    python .ci/house.py [--rooms] [--fragments]

*Code lines* are lines that are neither blank, comment nor docstring. *Boilerplate* is imports and `__all__`. A
*fragment* is a module that only one module of its own folder imports. The limits, and the order of the rooms, are
those of `house.toml` beside this script; exit code 1 where one is passed. The figures are printed as JSON in the last
line before what is wrong.
"""

from __future__ import annotations

import ast
import collections
import io
import json
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Module:
    """A module: its dotted name, its path within the package, its syntax tree and its figures."""

    name: str
    path: Path
    tree: ast.Module
    code: int
    boilerplate: int

    @property
    def room(self) -> str:
        """The folder within the package, or the name of a module that stands in none."""
        return self.path.parts[0] if len(self.path.parts) > 1 else self.path.stem

    @property
    def folder(self) -> str:
        """The dotted name of what it stands in."""
        return self.name.rpartition(".")[0]

    @property
    def forwards(self) -> bool:
        """Whether it forwards questions to functions that rooms above it register (`records.ask`)."""
        return any(name.endswith((".records.ask", ".records.Asked")) for name, _ in self.imports())

    def imports(self, types: bool = True) -> Iterator[tuple[str, ...]]:
        """Yield what it imports, in functions too, as the dotted names that may be meant, the longest first.

        Parameters
        ----------
        types : imports for types alone (`if TYPE_CHECKING`) are among them.
        """
        nodes: list[ast.AST] = [self.tree]
        while nodes:
            node = nodes.pop()
            if isinstance(node, ast.If) and not types and "TYPE_CHECKING" in ast.unparse(node.test):
                nodes += node.orelse
                continue
            nodes += ast.iter_child_nodes(node)
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield f"{node.module}.{alias.name}", node.module


def read_package(package: Path) -> list[Module]:
    """Return the modules of a package."""
    found = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        docstrings, boilerplate, code = set[int](), set[int](), set[int]()
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                docstrings.update(_docstring_lines(node))
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign) and _is_boilerplate(node):
                boilerplate.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in _NO_CODE:
                code.update(range(token.start[0], token.end[0] + 1))
        inside = path.relative_to(package)
        name = ".".join((package.name, *inside.with_suffix("").parts)).removesuffix(".__init__")
        found.append(Module(name, inside, tree, len(code - docstrings), len(boilerplate - docstrings)))
    return found


def _docstring_lines(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> range:
    first = node.body[0] if node.body else None
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return range(0)
    if not isinstance(first.value.value, str):
        return range(0)
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)


def _is_boilerplate(node: ast.Import | ast.ImportFrom | ast.Assign) -> bool:
    return not isinstance(node, ast.Assign) or any(
        isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
    )


def fragments(modules: list[Module]) -> list[tuple[Module, str]]:
    """Return the modules that only one module of their own folder imports, with its name."""
    names = {module.name for module in modules}
    importers = collections.defaultdict[str, set[str]](set)
    for module in modules:
        for meant in module.imports():
            target = next((name for name in meant if name in names), None)
            if target is not None:
                importers[target].add(module.name)
    return [
        (module, importer)
        for module in modules
        if len(importers[module.name]) == 1
        for importer in importers[module.name]
        if importer.rpartition(".")[0] == module.folder
    ]


def figures(modules: list[Module]) -> dict[str, float]:
    """Return the figures of a package."""
    code = sum(module.code for module in modules)
    files = collections.Counter(m.path.name for m in modules if m.path.name != "__init__.py")
    return {
        "files": len(modules),
        "code_lines": code,
        "boilerplate_percent": round(100 * sum(m.boilerplate for m in modules) / max(code, 1), 1),
        "fragments": len(fragments(modules)),
        "repeated_basenames": sum(1 for number in files.values() if number > 1),
        "largest": max(module.code for module in modules),
    }


def arrows(modules: list[Module]) -> dict[tuple[str, str], str]:
    """Return which room imports from which, each with one module that does.

    A module that forwards questions may name the types of the answers, which rooms above it find.
    """
    package = modules[0].name.partition(".")[0]
    rooms = {module.room for module in modules}
    found: dict[tuple[str, str], str] = {}
    for module in modules:
        for longest, _ in module.imports(types=not module.forwards):
            top, *inside = longest.split(".")
            if top != package:
                continue
            target = inside[0] if inside[0] in rooms else "__init__"
            if target != module.room:
                found.setdefault((module.room, target), module.name)
    return found


def upwards(modules: list[Module], order: list[str]) -> list[str]:
    """Return what is wrong with the imports between rooms: arrows upwards, and rooms without a place."""
    wrong = [f"the order lacks the room {room}" for room in sorted({m.room for m in modules} - {*order})]
    place = {room: number for number, room in enumerate(order)}
    return wrong + [
        f"{room} -> {target}: {module} imports upwards"
        for (room, target), module in arrows(modules).items()
        if place.get(target, -1) > place.get(room, len(order))
    ]


def cycles(modules: list[Module]) -> list[list[str]]:
    """Return the sets of modules that import each other, within functions too, but for types alone."""
    names = {module.name for module in modules}
    targets = {
        module.name: {
            next((name for name in meant if name in names), module.name)
            for meant in module.imports(types=False)
        }
        for module in modules
    }
    reached: dict[str, set[str]] = {}
    for start in targets:
        stack, seen = [start], set[str]()
        while stack:
            new = targets[stack.pop()] - seen - {start}
            seen |= new
            stack += new
        reached[start] = seen
    joined = {tuple(sorted({a} | {b for b in reached[a] if a in reached[b]})) for a in targets}
    return sorted(list(cycle) for cycle in joined if len(cycle) > 1)


def themes(modules: list[Module], floors: dict[str, list[str]]) -> dict[str, int]:
    """Return the code lines of each floor, and of the modules that belong to none (`shared`)."""
    floor_of = {room: floor for floor, rooms in floors.items() for room in rooms}
    found = dict.fromkeys([*floors, "shared"], 0)
    for module in modules:
        found[floor_of.get(module.room, "shared")] += module.code
    return found


def complaints(modules: list[Module], house: dict[str, Any]) -> list[str]:
    """Return what is wrong with a package by the limits and the order of `house.toml`."""
    limits, rooms = house["limits"], house["rooms"]
    now = figures(modules)
    now |= themes(modules, house.get("floors", {}))
    wrong = [f"{name} is {now[name]}, and may be {most}" for name, most in limits.items() if now[name] > most]
    return wrong + upwards(modules, rooms["order"])


def main(arguments: list[str]) -> int:
    """Print the figures; 1 where something is wrong."""
    house = tomllib.loads(Path(__file__).with_name("house.toml").read_text(encoding="utf-8"))
    modules = read_package(ROOT / "schemata")
    if "--rooms" in arguments:
        rooms = collections.defaultdict[str, list[Module]](list)
        for module in modules:
            rooms[module.path.parts[0] if len(module.path.parts) > 1 else "(root)"].append(module)
        for room, its in sorted(rooms.items(), key=lambda entry: -sum(m.code for m in entry[1])):
            code, boilerplate = sum(m.code for m in its), sum(m.boilerplate for m in its)
            percent = 100 * boilerplate / max(code, 1)
            print(f"{room:16} {len(its):4} files {code:6} code lines  {percent:4.1f} % boilerplate")
    if "--fragments" in arguments:
        for module, importer in fragments(modules):
            print(f"fragment {module.path} ({module.code}) <- {importer}")
    print(json.dumps(figures(modules) | themes(modules, house["floors"])))
    wrong = complaints(modules, house)
    for complaint in wrong:
        print(f"house: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
