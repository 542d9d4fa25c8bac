"""Each threshold is set in a test."""

import ast

from schemata.thresholds import Ways, changed, thresholds
from tests.engine.test_thresholds import ELSEWHERE
from tests.support import ROOT
from tests.thresholds.test_efforts import CASES
from tests.thresholds.test_sides import LEDGERS, REFUSED, REGIONS, SAME
from tests.thresholds.test_ways import COMMANDS


def names_set() -> set[str]:
    """Return the names that tests set: arguments of `changed`, of `setattr`, and keys of tables for these."""
    found = (
        {name for _, name in CASES}
        | {*" ".join(COMMANDS.values()).split()}
        | (Ways.__annotations__.keys() - ELSEWHERE)
        | {*SAME, *REFUSED, *LEDGERS, *REGIONS}
    )
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "changed" in text or "thresholds" in text else ():
            match node:
                case ast.Call(ast.Name("changed" | "dict"), _, keywords):
                    found |= {one.arg for one in keywords if one.arg}
                case ast.Call(ast.Attribute(attr="setattr" | "object"), [_, ast.Constant(str(name)), *_]):
                    found.add(name)
                case ast.Call(ast.Attribute(attr="multiple"), _, keywords):
                    found |= {one.arg for one in keywords if one.arg}
                case ast.Dict(keys) if path.name != "test_thresholds.py":
                    found |= {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return found


def test_each_threshold_is_set_in_a_test() -> None:
    assert not thresholds().keys() - names_set()


def test_no_default_keeps_a_threshold_from_being_set() -> None:
    """A default of a parameter, or of a field, is worked out once, before any test sets the threshold."""
    found = []
    for path in (ROOT / "schemata").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.arguments(defaults=defaults, kw_defaults=more):
                    values = [*defaults, *filter(None, more)]
                case ast.ClassDef(body=body):
                    values = [one.value for one in body if isinstance(one, ast.AnnAssign) and one.value]
                case _:
                    continue
            found += [
                (path.name, ast.unparse(value))
                for value in values
                if isinstance(value, ast.Attribute)
                and ast.unparse(value.value) in ("WAYS", "EFFORTS", "REFUSALS")
            ]
    assert not found


def test_the_table_is_of_thresholds() -> None:
    with changed():
        assert {name for _, name in CASES} <= thresholds().keys()
