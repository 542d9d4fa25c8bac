"""Texts of native kernels and of rewriting are kept: nothing is written again, and only what is whole is used."""

from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata import cache
from schemata.engine.native import NativeEngine
from schemata.engine.run import Kernel
from schemata.kernels.kept import keep_text, kept_text
from schemata.kernels.run import AgendaKernel
from schemata.language.library import load_schema
from schemata.order.kept import known_order
from schemata.order.model import Order
from schemata.ordered.kernel import OrderedKernel
from schemata.program.rewriting import Rewriting
from schemata.thresholds import changed
from tests.engine.test_kept_kernels import run

SCHEMATA = ["eisner1996", "wg1", "nivre2003", "arc-eager", "mh"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept texts, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "schemata" / "texts"


def derived(name: str) -> tuple[list[str], dict[str, int], str, int | float]:
    """Run a schema natively, with nothing in memory from earlier runs."""
    schema = schemata.ParsingSchema(load_schema(name, {}))
    kernel = Kernel(schema.definition)
    words = schemata.Sentence.of("a b c d")
    grammar = schemata.DRules.all().for_sentence(words)
    chart = NativeEngine(kernel).run(kernel, words, grammar, schemata.Budget())
    return (
        sorted(map(str, chart.items)),
        dict(chart.steps_by_name),
        chart.engine,
        chart.forest().derivation_count,
    )


def fail(*_: object, **__: object) -> Any:
    raise AssertionError("written again")


@pytest.mark.parametrize("name", SCHEMATA)
def test_a_text_is_written_once(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = derived(name)
    assert list(folder.iterdir())
    monkeypatch.setattr("schemata.kernels.agenda.emit_agenda", fail)
    monkeypatch.setattr("schemata.ordered.kernel.emit_ordered", fail)
    assert derived(name) == found


@pytest.mark.parametrize("harm", ["cut", "changed", "swapped"])
def test_a_damaged_text_is_written_again(harm: str, folder: Path) -> None:
    found = derived("wg1")
    files = sorted(folder.iterdir())
    contents = [file.read_bytes() for file in files]
    harmed = set()
    assert len(files) >= 3  # of the agenda, of the order, of rewriting
    for number, (file, content) in enumerate(zip(files, contents, strict=True)):
        if harm == "cut":
            file.write_bytes(content[: len(content) // 2])
        elif harm == "changed":
            file.write_bytes(content[:-40] + bytes([content[-40] ^ 1]) + content[-39:])
        else:
            file.write_bytes(contents[number - 1])
        harmed.add(file.read_bytes())
    assert derived("wg1") == found
    assert harmed.isdisjoint(file.read_bytes() for file in files) or harm == "swapped"
    assert all(cache.look_up("texts", file.stem) for file in files)


def test_a_text_is_kept_for_one_kind_of_storage_and_for_thresholds(folder: Path) -> None:
    kernel = Kernel(load_schema("eisner1996", {}))
    texts = {hashed: kernel.agenda.text(hashed) for hashed in (False, True)}
    assert texts[False].text != texts[True].text
    for hashed, text in texts.items():
        assert kept_text(kernel.schema, hashed, "count") == text
    assert kept_text(kernel.schema, False, "rows") is None
    with changed(part_lines=1):
        assert kept_text(kernel.schema, False, "count") is None
    assert kept_text(load_schema("eisner1996-once", {}), False, "count") is None


def test_the_numbers_of_queries_are_those_in_use(folder: Path) -> None:
    """A text whose tables have other numbers than those of kernels in memory is written anew."""
    schema = load_schema("nivre2003", {})
    first = Kernel(schema)
    text = first.agenda.text(True)
    assert len(text.queries) > 1
    kept = kept_text(schema, True, "count")
    assert kept is not None
    assert kept.queries == text.queries
    other = AgendaKernel(Kernel(schema).program, kept=True)
    reverse = {query: number for number, query in enumerate(reversed(text.queries))}
    other._queries = dict(reverse)
    assert other.text(True).queries == reverse != text.queries
    again = AgendaKernel(Kernel(schema).program, kept=True)
    keep_text(schema, True, "count", text)
    assert again.text(True) == text
    assert again._queries == text.queries


def test_kernels_that_measure_or_begin_with_items_keep_no_text(folder: Path) -> None:
    kernel = Kernel(load_schema("eisner1996", {}))
    kernel.agenda_for_given.text(False)
    Kernel(kernel.schema, "rows").agenda.text(False)
    assert not folder.exists()


def test_an_ordered_text_is_that_of_its_order(folder: Path) -> None:
    texts = []
    for name in ("eisner1996", "collins1996"):
        kernel = Kernel(load_schema(name, {}))
        assert NativeEngine(kernel).ordered is not None
        order = known_order(kernel.program)
        assert isinstance(order, Order)
        texts.append((order, OrderedKernel(order).text))
    before = set(folder.iterdir())
    for order, text in texts:
        assert OrderedKernel(order).text == text
    assert set(folder.iterdir()) == before
    assert texts[0][1] != texts[1][1]


def test_runs_in_python_keep_how_they_rewrite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(Kernel(load_schema("wg1", {})))
    monkeypatch.setattr(Rewriting, "text", fail)
    assert run(Kernel(load_schema("wg1", {}))) == found
