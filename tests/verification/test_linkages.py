"""The checker of Link Grammar schemata checked: broken ones are found wrong, and the counterexamples hold.

That a counterexample is one is seen from a brute force of the tests' own, which shares nothing with the package.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import schemata
from schemata import verify
from schemata.budget import Budget
from schemata.cli.main import main
from schemata.errors import UsageError
from schemata.grammars.link_grammar import LinkGrammar
from schemata.structures import Linkage
from schemata.thresholds import EFFORTS
from schemata.verification.claims import Claim, linkage_claims
from schemata.verification.dictionaries import LinkageCase, random_case, small_cases
from schemata.verification.verdicts import Verdict
from tests.oracle import linkages as oracle
from tests.support import script
from tests.support.charts import schema_text
from tests.support.commands import Prints, Tells, Written

pages = script("pages")

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"


@dataclass(frozen=True)
class Broken:
    """A broken schema: the steps it replaces in a shipped one, the answers, and what the fault says."""

    base: str
    steps: str
    sound: bool = True
    complete: bool = True
    once: bool = True
    fault: str = ""
    words: int = 3  # that show all this

    def load(self, folder: Path) -> schemata.ParsingSchema:
        path = folder / "broken.schema"
        path.write_text(f"schema broken extends {self.base}\n\n{self.steps}\n", encoding="utf-8")
        return schemata.load(path)


BROKEN = {
    # As in the paper: nothing says that i and j are linked already.
    "linked-twice": Broken(
        "eisner-lg",
        """replace step Link
  span[i, j, *a1 . x *b1, *a2 . y *b2, a3, a4, _, _]
  --------------------------------------------------  join i to j by x ~ y
  span[i, j, *a1 x@ . *b1, *a2 y@ . *b2, a3, a4, true, true]""",
        sound=False,
        fault="linked twice",
    ),
    # As in the paper: nothing asks that one of the halves hangs together.
    "unconnected": Broken(
        "eisner-lg",
        """replace step Combiner
  span[i, j, *a1 . *b1, *a2 ., a3, a4, B1, D1]   span[j, k, *a4 ., *c2 . *d2, a2, d4, B2, _]
  ------------------------------------------------------------------------------------------  D1 or j == i + 1
  span[i, k, *a1 . *b1, *c2 . *d2, a3, d4, B1 and B2, false]""",
        sound=False,
        fault="2 components",
        words=4,
    ),
    "any-split": Broken(
        "eisner-lg",
        """replace step Combiner
  span[i, j, *a1 . *b1, *a2 ., a3, a4, B1, _]   span[j, k, *a4 ., *c2 . *d2, a2, d4, B2, _]
  -----------------------------------------------------------------------------------------  B1 or B2
  span[i, k, *a1 . *b1, *c2 . *d2, a3, d4, B1 and B2, false]""",
        once=False,
        words=4,
    ),
    "two-disjuncts": Broken(
        "eisner-lg",
        """replace step Combiner
  span[i, j, *a1 . *b1, *a2 ., a3, _, B1, D1]   span[j, k, *a4 ., *c2 . *d2, _, d4, B2, _]
  ----------------------------------------------------------------------------------------  B1 or B2, D1 or j == i + 1
  span[i, k, *a1 . *b1, *c2 . *d2, a3, d4, B1 and B2, false]""",
        sound=False,
        once=False,
    ),
    "multi-connectors-once": Broken(
        "eisner-lg",
        """replace step Link
  span[i, j, *a1 . x *b1, *a2 . y *b2, a3, a4, _, false]
  ------------------------------------------------------  join i to j by x ~ y
  span[i, j, *a1 x . *b1, *a2 y . *b2, a3, a4, true, true]""",
        complete=False,
    ),
    "unfinished-ends": Broken(
        "eisner-lg",
        """replace final span[0, n, _, _, <>, <>, true, _]""",
        sound=False,
        once=False,
        fault="is not linked",
    ),
    "any-split-of-connected": Broken(
        "eisner-satta-lg",
        """replace step Combiner
  span[i, j, *a1 . *b1, *a2 ., a3, a4, _]   span[j, k, *a4 ., *c2 . *d2, a2, d4, _]
  ---------------------------------------------------------------------------------  i < j < k
  span[i, k, *a1 . *b1, *c2 . *d2, a3, d4, false]""",
        once=False,
        words=4,
    ),
    "inner-words-unfinished": Broken(
        "eisner-satta-lg",
        """replace step Link
  span[i, j, *a1 . x *b1, *_ . *_, a3, _, _]   span[j + 1, k, *_ . *_, *c2 . y *d2, _, c4, _]
  -------------------------------------------------------------------------------------------  join i to k by x ~ y
  span[i, k, *a1 x@ . *b1, *c2 y@ . *d2, a3, c4, true]""",
        sound=False,
        once=False,
    ),
    "links-to-the-right-at-any-time": Broken(
        "yamada-matsumoto-lg",
        """replace step R-Link
  span[i, j, *a1 . *b1, *a2 ., a3, *a4 x, c]   span[j, k, *a4 . x, *c2 . y *d2, a2, d4, _]
  ----------------------------------------------------------------------------------------  join j to k by x ~ y
  span[i, k, *a1 . *b1, *c2 y@ . *d2, a3, d4, c]""",
        once=False,
        words=4,
    ),
    "left-halves-only": Broken(
        "sleator-temperley1991",
        """replace step Completer
  given span[i, j, *a . *b, *c . *d, linked, false]   given word[z, s, p]
  span[i, z, *b ., *p ., true, true]   span[z, j, *s ., *d ., _, true]
  -----------------------------------------------------------------------  join i to j by *a . *b ~ *c . *d if linked
  span[i, j, *a *b ., *c *d ., linked, true]""",
        complete=False,
    ),
}


def brute(case: LinkageCase) -> set[tuple[tuple[oracle.Choice, ...], frozenset[oracle.Link]]]:
    """Return the linkages of a case, by the brute force of the tests."""
    choices = [
        [(d.word, tuple(map(str, d.left)), tuple(map(str, d.right))) for d in of_word]
        for of_word in case.disjuncts
    ]
    return oracle.linkages(choices)


def plain(linkage: Linkage) -> tuple[tuple[oracle.Choice, ...], frozenset[oracle.Link]]:
    disjuncts = tuple((d.word, tuple(map(str, d.left)), tuple(map(str, d.right))) for d in linkage.disjuncts)
    return disjuncts, frozenset((k.left, k.right, *k.uses) for k in linkage.links)


def check_evidence(verdict: Verdict, schema: schemata.ParsingSchema) -> None:
    """Check the counterexamples of a verdict, and that their dictionaries give what was tested."""
    for found in (verdict.unsound, verdict.incomplete, verdict.ambiguous):
        if found is None:
            continue
        grammar = LinkGrammar.from_text(found.case.to_dictionary())
        given = grammar.for_sentence(schemata.Sentence(found.case.words), prune_disjuncts=False)
        assert [set(of_word) for of_word in given.disjuncts] == [set(w) for w in found.case.disjuncts]
    if verdict.unsound is not None:
        linkage = verdict.unsound.structure.linkage
        doubled = "linked twice" in verdict.unsound.fault
        assert linkage is None or doubled or plain(linkage) not in brute(verdict.unsound.case)
        assert verdict.unsound.derivation is not None
    if verdict.incomplete is not None:
        assert plain(verdict.incomplete.structure) in brute(verdict.incomplete.case)
        chart = schema.run(verdict.incomplete.case.words, _unpruned(verdict.incomplete.case))
        assert plain(verdict.incomplete.structure) not in set(map(plain, chart.forest().linkages(None)))
    if verdict.ambiguous is not None:
        assert plain(verdict.ambiguous.structure) in brute(verdict.ambiguous.case)
        one, two = verdict.ambiguous.derivations
        assert one != two
        assert one.all_links == two.all_links


def _unpruned(case: LinkageCase) -> LinkGrammar:
    return replace(LinkGrammar.from_text(case.to_dictionary()), pruned=False)


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.rotated(3)
def test_broken_schemata(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    schema = broken.load(tmp_path)
    verdict = verify(schema, max_n=broken.words)
    answers = (verdict.sound, verdict.complete, verdict.each_once)
    assert answers == (broken.sound, broken.complete, broken.once)
    assert verdict.holds is False
    check_evidence(verdict, schema)
    if verdict.unsound is not None:
        assert broken.fault in verdict.unsound.fault
        assert verdict.unsound.case.n <= broken.words
    json.dumps(verdict.to_json())


@pytest.mark.parametrize("claim", linkage_claims(), ids=lambda claim: claim.reference)
@pytest.mark.rotated(3)
def test_shipped_schemata(claim: Claim) -> None:
    """What is claimed of them is found, and is on the page of the catalogue, which looks at longer sentences."""
    (row,) = pages.linkage_catalogue(4, claims=[claim])
    verdict = row.verdict
    assert (verdict.sound, verdict.complete, verdict.each_once) == (claim.sound, True, claim.each_once)
    assert (verdict.sound_to, verdict.complete_to) == (4 if claim.sound else 0, 4)
    (line,) = [x for x in pages.linkage_section([row]).splitlines() if x.startswith("| `")]
    assert line.replace("to 4 words", "to 6 words") in PAGE.read_text("utf-8").splitlines()
    if claim.class_name != "linkages":
        return
    if claim.each_once:
        assert (verdict.holds, verdict.once_to) == (True, 4)
        assert (
            verdict.runs
            == sum(len(list(small_cases(n))) for n in (2, 3, 4)) + 3 * EFFORTS.random_dictionaries
        )
        assert verdict.structures > 3 * EFFORTS.random_dictionaries
    else:
        assert (verdict.ambiguous.count, verdict.ambiguous.case.n) == (2, 4)
        assert len(verdict.to_json()["counterexamples"]["repeated"]["derivations"]) == 2
        check_evidence(verdict, schemata.load(claim.name))


@pytest.mark.thorough
def test_two_islands(tmp_path: Path) -> None:
    """Four words of which no random dictionary has the like: they hang together by twos."""
    islands = Broken(
        "eisner-lg", "replace final span[0, n, *_ ., *_ ., <>, <>, _, _]", sound=False, fault="2 components"
    )
    found = verify(islands.load(tmp_path), max_n=4).unsound
    assert found.case.to_dictionary() == "a: A+;\nb: A-;\nc: A+;\nd: A-;"


@pytest.mark.thorough
def test_without_cycles() -> None:
    for name in ("eisner-lg:acyclic=1", "eisner-satta-lg:acyclic=1"):
        verdict = verify(name, "linkages", 3)
        assert verdict.complete is False
        assert verdict.incomplete.structure.is_cyclic
        assert len(verdict.incomplete.structure.words) == 3
    verdict = verify("eisner-lg", "acyclic-linkages", 3)
    assert verdict.sound is False
    assert verdict.unsound.fault == "it has a cycle"


@pytest.mark.thorough
def test_endless_derivations(written: Written) -> None:
    """Two steps that turn an item into another and back."""
    path = written("endless.schema", schema_text("endless-3"))
    verdict = verify(schemata.load(path), max_n=3)
    assert verdict.each_once is False
    assert verdict.ambiguous.to_json()["count"] == "infinite"
    assert verdict.ambiguous.cycle.step in ("Forget", "Remember")
    assert len(verdict.ambiguous.derivations) == 1


@pytest.mark.thorough
def test_the_seed_fixes_the_dictionaries() -> None:
    assert random_case(5, 1, 2) == random_case(5, 1, 2)
    assert random_case(5, 1, 2) != random_case(5, 2, 2)
    first, second = (verify("eisner-lg:acyclic=1", "linkages", 3, seed=7).to_json() for _ in range(2))
    del first["seconds"], second["seconds"]
    assert first == second


def test_shrinking_keeps_what_fails() -> None:
    case = random_case(6, 0, 3)

    def fails(candidate: LinkageCase) -> bool:
        return any(c.multi for of_word in candidate.disjuncts for d in of_word for c in d.left + d.right)

    assert fails(case)
    steps = [case]
    while smaller := next(filter(fails, steps[-1].smaller()), None):
        steps.append(smaller)
    assert len(steps) > 1
    smallest = steps[-1]
    assert smallest.n == 2
    assert sum(len(d.left + d.right) for of_word in smallest.disjuncts for d in of_word) == 2


def test_budgets_leave_answers_open() -> None:
    verdict = verify("eisner-lg", max_n=4, budget=Budget(steps=40))
    assert verdict.holds is None
    assert verdict.stopped == "steps"
    assert verdict.skipped > 0


def test_ctrl_c_keeps_what_is_known() -> None:
    def interrupted(results, total, description):  # type: ignore[no-untyped-def]
        if "4 words" in description:
            raise KeyboardInterrupt
        return results

    verdict = verify("eisner-lg", max_n=5, watch=interrupted)
    assert verdict.stopped == "interrupt"
    assert verdict.sound is None
    assert verdict.sound_to == 3


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="acyclic-linkages"):
        verify("eisner-lg", "acyclic-linkage")
    with pytest.raises(UsageError, match="max-n must be at least 2"):
        verify("eisner-lg", max_n=1)


@pytest.mark.thorough
def test_command(tells: Tells, prints: Prints, warns: Prints) -> None:
    assert "each once  yes, to 3 words" in prints("verify eisner-satta-lg --max-n 3")
    found = tells("verify eisner-lg:acyclic=1 --class linkages --max-n 3", code=1)
    assert (found["sound"], found["complete"], found["each_once"]) == (True, False, True)
    assert found["counterexamples"]["incomplete"]
    assert "9 of them of more than 3 words" in prints(
        "verify eisner-lg --max-n 3 --random 9 --class linkages"
    )
    assert "budget" in prints("verify eisner-lg --max-steps 20", code=2)
    assert main(["verify", "eisner-lg", "--jobs", "2", "--max-n", "2"]) == 0
    assert main(["verify", "eisner-lg", "--roots", "many"]) == 2
    assert "there is no class of linkages called projective" in warns("verify eisner-lg --class projective")


@pytest.mark.thorough
def test_a_counterexample_is_found_again_with_its_dictionary(tmp_path: Path, tells: Tells) -> None:
    BROKEN["unconnected"].load(tmp_path)
    schema, dictionary = str(tmp_path / "broken.schema"), tmp_path / "found.dict"
    found = tells("verify", schema, "--max-n", "4", code=1)["counterexamples"]["unsound"]
    dictionary.write_text(found["dictionary"], encoding="utf-8")
    sentence = " ".join(found["sentence"])
    assert tells("run", schema, sentence, "--grammar", str(dictionary), "--unpruned")["accepted"] is True
    assert (
        tells("run eisner-lg", sentence, "--grammar", str(dictionary), "--unpruned", code=1)["accepted"]
        is False
    )
