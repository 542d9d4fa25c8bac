"""The catalogue: made the same by any number of jobs, and the page in the repository is the one it makes.

The rows about linkages are compared in `test_linkages.py`, where they are verified.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schemata import ParsingSchema, verify
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from schemata.structures import tree_class
from schemata.thresholds import EFFORTS
from schemata.verification.claims import graph_claims, linkage_claims, shipped_claims
from schemata.verification.dictionaries import small_cases
from schemata.verification.trees import decided_by_links
from tests.support import script

pages = script("pages")

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "catalogue.md"


def test_the_page_has_a_row_for_every_schema() -> None:
    page = PAGE.read_text("utf-8")
    assert "python .ci/pages.py catalogue" in page.splitlines()[2]
    missing = [name for name in shipped_schemata() if not re.search(rf"`{re.escape(name)}[`:]", page)]
    assert not missing, f"docs/catalogue.md lacks {missing}: make it again"


def test_the_page_says_what_is_claimed() -> None:
    """What the page says is what `verify` finds, as the last tests here make sure."""
    trees = PAGE.read_text("utf-8").partition("## Link Grammar")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:]] for line in rows_of(trees)]
    plain = [re.sub(r" †$|, every n$", "", cell) for row in rows for cell in row[3:6]]
    found = {(row[0].strip("` *"), row[2]): (*plain[3 * k : 3 * k + 3],) for k, row in enumerate(rows)}
    says = {True: "yes", False: "**no**"}
    claims = {
        (c.reference, c.class_name): (says[c.sound], says[c.complete], says[c.each_once])
        for c in shipped_claims()
    }
    assert claims.items() <= found.items()
    for row in rows:
        assert bool(row[6]) == ("**no**" in row[3:6])
        assert (f"- `{row[0].strip('` *')}` " in trees) >= ("**no**" in row[3:5])
    wrong = sum("**no**" in row[3:5] for row in rows)
    assert f"**{len(rows) - wrong} of these {len(rows)} tests found no mistake" in trees


@pytest.mark.thorough
def test_rows_do_not_depend_on_the_jobs() -> None:
    some = [
        c for c in shipped_claims() if c.name in ("eisner-satta1999", "eisner1996", "hybrid", "bulc", "wg1")
    ]
    one, about = pages.catalogue(3, claims=some)
    two, _ = pages.catalogue(3, claims=some, jobs=2)
    assert [(r.claim, r.size, r.verdict.sound, r.verdict.complete) for r in one] == [
        (r.claim, r.size, r.verdict.sound, r.verdict.complete) for r in two
    ]
    assert [row.theorem.name.removeprefix("Theorem ") for row in about] == [*"345678", "section 7.5"]
    assert all(row.holds for row in about if row.verdicts)


def test_claims_are_well_formed() -> None:
    claims = shipped_claims()
    assert len({(c.reference, c.class_name) for c in claims}) == len(claims)
    for claim in claims:
        tree_class(claim.class_name)
        assert re.fullmatch(r"exponential|O\(n(\^\d+)?\)", claim.complexity)
    assert {t.says for t in pages.theorems()} == {"correct", "sound", "complete"}


def test_every_schema_of_linkages_has_a_claim() -> None:
    claims = linkage_claims()
    assert len({claim.reference for claim in claims}) == len(claims)
    assert {claim.name for claim in claims} == {
        name for name, schema in _grammars().items() if schema == "link-grammar"
    }


@cache
def _grammars() -> dict[str, str]:
    return {name: load_schema(name).grammar for name in shipped_schemata()}


@pytest.mark.thorough
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "shipped_claims", lambda: shipped_claims()[:3])
    monkeypatch.setattr(pages, "linkage_claims", lambda: linkage_claims()[2:3])
    monkeypatch.setattr(pages, "graph_claims", lambda: graph_claims()[:2])
    path = tmp_path / "page.md"
    assert pages.main(["catalogue", "--max-n", "1", "--output", str(path)]) == 0
    assert "exhaustive up to n = 1 words" in path.read_text("utf-8")
    assert pages.main(["catalogue", "--max-n", "0"]) == 2
    assert "max-n" in capsys.readouterr().err


SLOW = {"mst", "pitler2013:free=1"}  # of them, five words take seconds
ROWS = {f"{claim.reference}-{claim.class_name}": claim for claim in shipped_claims()}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("less", [pytest.param(0, marks=pytest.mark.thorough, id="in full"), 1])
@pytest.mark.rotated(4, 2)
def test_a_row_of_the_page_is_up_to_date(row: str, less: int) -> None:
    """To six words, as the page says; or to one less, or two; where each tree needs a run of its own, to four.

    With five words nothing refutes `wgk-published`.
    """
    claim = ROWS[row]
    n = 6 - less * (1 + (claim.reference in SLOW)) if decided_by_links(load_schema(claim.name)) else 4
    if less and claim.reference == "wgk-published:k=2":
        assert pages.catalogue(n, claims=[claim])[0][0].verdict.complete
        return
    rows, about = pages.catalogue(n, claims=[claim])
    (line,) = rows_of(pages.catalogue_page(rows, about, (), n, ""))
    assert line in rows_of(PAGE.read_text("utf-8"))
    refuted = {row.theorem.name for row in about if row.verdicts and not row.holds}
    assert refuted == ({"section 7.5"} if claim.reference == "wgk-published:k=2" else set())


@pytest.mark.thorough
def test_the_page_but_for_its_rows_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    monkeypatch.setattr(pages, "_measure", lambda *_: pages.Size(0, 0))

    def graphs_of_one_word(schema: ParsingSchema, *asked: Any, **settings: Any) -> Any:
        one = schema.definition.structure == "dependency graph"
        return verify(schema, asked[0], 1) if one else verify(schema, *asked, **settings)

    monkeypatch.setattr(pages, "verify", graphs_of_one_word)
    assert pages.main(["catalogue", "--max-n", "1", "--output", str(path)]) == 0
    page = re.sub(r"(n = |--max-n )1\b", r"\g<1>6", path.read_text("utf-8"))
    dictionaries = sum(len(list(small_cases(n))) for n in range(2, 7)) + 5 * EFFORTS.random_dictionaries
    page = re.sub(r"on \d+ dictionaries", f"on {dictionaries:,} dictionaries", page)
    expected = PAGE.read_text("utf-8")
    # The conclusions are about the rows; `test_the_page_says_what_is_claimed` compares them.
    page, said = (
        re.sub(
            r"^(\*\*\d+ of these|\*\*Every schema|\*\*Refuted|\*\*No theorem|\| section 7.5|- `).*\n",
            "",
            x,
            flags=re.MULTILINE,
        )
        for x in (page, expected)
    )
    assert [x for x in page.splitlines() if x and x not in rows_of(page)] == [
        x for x in said.splitlines() if x and x not in rows_of(said)
    ]
    assert [row.split(" | ")[0] for row in rows_of(page)] == [
        row.split(" | ")[0] for row in rows_of(expected)
    ]


def rows_of(page: str) -> list[str]:
    """Return the lines of a page that are about one schema."""
    return [line for line in page.splitlines() if line.startswith("| `")]
