"""Kinds of grammars and structures: frozen values that are their names, and the same wherever they come from."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from schemata import cache, load
from schemata.kinds import (
    D_RULES,
    DECLARED,
    FORMATS,
    GRAMMARS,
    LINKAGE,
    STRUCTURES,
    GrammarKind,
    StructureKind,
)

KINDS = [*GRAMMARS, *STRUCTURES]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_its_name_and_is_found_by_it(kind: Any) -> None:
    assert type(kind)(str(kind)) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert cache.values_read(cache.values_written(kind), ["schemata.kinds"]) is kind
    assert copy.deepcopy(kind) is kind
    assert json.loads(json.dumps({kind: kind})) == {str(kind): str(kind)}
    assert f"{kind}" == str(kind) == kind


def test_schemata_have_the_registered_kinds() -> None:
    for name in ("eisner1996", "earley", "eisner-lg", "noncrossing", "itg"):
        schema = load(name).definition
        assert any(schema.grammar is kind for kind in DECLARED)
        assert any(schema.structure is kind for kind in STRUCTURES)


def test_kinds_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        D_RULES.noun = "others"  # type: ignore[misc]
    with pytest.raises(TypeError):
        D_RULES.__setstate__(((), {"noun": "others"}))
    with pytest.raises(KeyError):
        GrammarKind("no such kind")
    with pytest.raises(AssertionError):
        StructureKind.of("one of no use", nonsense=1)
    del StructureKind.registered["one of no use"]


def test_what_kinds_say_of_each_other_fits() -> None:
    assert len({kind.class_name for kind in GRAMMARS}) == len(GRAMMARS)
    suffixes = [suffix for kind in GRAMMARS for suffix in kind.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert set(FORMATS) == {name for kind in STRUCTURES for name in kind.formats}
    assert LINKAGE.atoms == {"join"}
    for one in STRUCTURES:  # atoms imply one kind at most
        others = [kind for kind in STRUCTURES if kind.implied and one.implied and kind.atoms & one.atoms]
        assert others in ([one], [])
