"""Trees with gaps: arrangements, splits and types by brute force; schemata with one change, forged certificates."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

import schemata
from schemata.correctness.answers import prove, read_certificate
from schemata.correctness.arrangements import (
    HEAD,
    HOLE,
    WordProperties,
    all_splits,
    dependents_of,
    factors_of,
    merged,
    shape_of,
    shapes_of,
    splits_of,
    swapped,
    type_by_trial,
)
from schemata.correctness.certificate import NotProved, checksum_of
from schemata.correctness.gap_certificate import GapCertificate
from schemata.correctness.lengthen import derivations, tree_of_arrangement
from schemata.correctness.questions import Questions, QuickQuestions
from schemata.correctness.recheck import certificate_of, refusal
from schemata.correctness.search import find_proof
from schemata.correctness.shipped import shipped_certificate
from schemata.correctness.steps import program_of
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.order.logic import SolverFailed
from schemata.structures import tree_class
from schemata.structures.generation import all_trees, random_projective_tree
from schemata.workbench import ParsingSchema
from tests.correctness.mutants import mutants, schema_from

# Arrangements --------------------------------------------------------------------------------------------------


def below(heads: tuple[int, ...]) -> dict[int, set[int]]:
    """Return what stands below each word of a tree, itself included."""
    found = {word: {word} for word in range(1, len(heads) + 1)}
    for word in found:
        at = word
        while heads[at - 1]:
            at = heads[at - 1]
            found[at].add(word)
    return found


def arrangement_of(labels: list[int]) -> str:
    """Return the arrangement of dependents from what stands at each word: a dependent, or 0 for the head."""
    if not labels:
        return ""
    first = labels[0]
    last = max(k for k, label in enumerate(labels) if label == first)
    if first == 0:
        return HEAD + arrangement_of(labels[1:])
    gaps: list[list[int]] = []
    for before, after in itertools.pairwise(
        [k for k, label in enumerate(labels[: last + 1]) if label == first]
    ):
        if after > before + 1:
            gaps.append(labels[before + 1 : after])
    letter = f"<{'|'.join(map(arrangement_of, gaps))}>" if gaps else "o"
    return letter + arrangement_of(labels[last + 1 :])


@pytest.mark.parametrize(("class_name", "n"), [("wg-1", 5), ("wg-2", 5)])
def test_splits_of_trees(class_name: str, n: int) -> None:
    """The splits of an arrangement are what the words of two trees look like, for each way to share out dependents."""
    met = 0
    for tree in filter(tree_class(class_name).contains, all_trees(n)):
        root, parts = tree.heads.index(0) + 1, below(tree.heads)
        dependents = [d for d in parts if tree.heads[d - 1] == root]
        labels = [next((d for d in dependents if word in parts[d]), 0) for word in range(1, n + 1)]
        word = arrangement_of(labels)
        assert dependents_of(word) == len(dependents)
        assert shape_of(word) == merged("".join(HEAD if d == 0 else "c" for d in labels))
        found = set()
        for chosen in itertools.product("ab", repeat=len(dependents)):
            names = dict(zip(dependents, chosen, strict=True)) | {0: HEAD}
            found.add(merged("".join(names[d] for d in labels)))
        assert {*all_splits(word)} == found
        made = tree_of_arrangement(word)
        assert made is not None
        assert tree_class(class_name).contains(schemata.DependencyTree(made))
        met += len(dependents) > 1
    assert met > 100


def test_arrangements_of_trees() -> None:
    """What has no head is not a tree; what has holes is part of one, with a root in the first of them."""
    assert [tree_of_arrangement(x) for x in ("", "oo", "h", "h_o")] == [None, None, (0,), (2, 0, 1)]
    for word in ("<_>h_", "<_o_|oh>", "o_<h_>", "_h<o|_>"):
        heads = tree_of_arrangement(word)
        assert heads is not None
        root, parts = heads.index(0) + 1, below(heads)
        [own] = [d for d in parts if heads[d - 1] == root and len(parts[d]) > 1]
        dependents = [d for d in parts if heads[d - 1] == own]
        names = {place: d for d in dependents for place in parts[d]} | {own: HEAD}
        shown = "".join(str(names.get(place, HOLE)) for place in range(1, len(heads) + 1))
        wanted = [x for x in word if x in "h_"]
        assert [x for x in shown if x in "h_"] == wanted
        assert len(dependents) == dependents_of(word)
        assert tree_class("wg-2").contains(schemata.DependencyTree(heads))


@pytest.mark.parametrize("gaps", [0, 1, 2])
def test_shapes_and_splits_by_brute_force(gaps: int) -> None:
    """They are just those of sets of words that, with a head or without it, have so many gaps at most."""

    def is_item(text: str, own: str) -> bool:
        sets = ({k for k, x in enumerate(text) if x in letters} for letters in (own, own + HEAD))
        return any(sum(k - 1 not in one for k in one) <= gaps + 1 for one in sets)

    def strings(alphabet: str, size: int) -> set[str]:
        rows = (merged("".join(row)) for row in itertools.product(alphabet, repeat=size))
        return {x for x in rows if x.count(HEAD) == 1 and x[0] != HOLE != x[-1]}

    longest = 2 * gaps + 4
    assert {*shapes_of(gaps)} == {x for x in strings("ch_", longest) if is_item(x, "c")}
    assert max(map(len, shapes_of(gaps))) < longest
    if gaps < 2:
        wanted = {x for x in strings("abh_", 8) if {"a", "b"} <= {*x}}
        wanted = {x for x in wanted if all(is_item(x, own) for own in ("a", "b", "ab"))}
        found = splits_of(gaps)
        assert {*found, *map(swapped, found)} == wanted
        assert len(wanted) == 2 * len(found)
        assert max(map(len, found)) < 8


def random_word(rng: random.Random, depth: int = 2) -> str:
    """Return a word of a few letters."""
    word = ""
    for _ in range(rng.randrange(1, 4)):
        sign = rng.choice("ooh_<<")
        inside = [random_word(rng, depth - 1) for _ in range(rng.randrange(1, 3))] if depth else []
        word += f"<{'|'.join(inside)}>" if sign == "<" and inside else "o" if sign == "<" else sign
    return word


def test_types_are_a_congruence() -> None:
    """Words of which one covers the other still do so in any place: before a letter, and in a gap of one."""
    rng, shapes = random.Random(5), factors_of(shapes_of(2))
    kept = factors_of(["abh_b", "habab", "a_bha", "abah", "hab"])
    compared = covered = 0
    words = list(dict.fromkeys(random_word(rng) for _ in range(1200)))
    types = {word: type_by_trial(word, kept, shapes) for word in words if dependents_of(word) < 7}
    found = [(word, made) for word, made in types.items() if made is not None]
    for (one, made), (other, more) in itertools.permutations(found, 2):
        if made.covers(more) and rng.random() < 0.1:
            for place in ("{}o", "o{}", "<{}>", "<h|{}>", "_{}", "<{}>h", "{0}<{0}>"):
                after = [type_by_trial(place.format(x), kept, shapes) for x in (one, other)]
                if after[1] is not None:
                    assert after[0] is not None
                    assert after[0].covers(after[1]), (one, other, place)
                    covered += one != other
                compared += 1
    assert compared > 1000
    assert covered > 300


def test_the_search_joins_types_as_trial_does() -> None:
    """The types that the search works out are those of its words."""
    from schemata.correctness.gap_search import Arrangements

    splits = [*splits_of(1), *map(swapped, splits_of(1))]
    for chosen in (splits[:30], random.Random(2).sample(splits, 60)):
        closed = Arrangements(1, chosen, lambda: None)
        kept, shapes = factors_of(chosen), factors_of(shapes_of(1))
        rows = {word: made for row in closed.types.values() for made, word in row.items()}
        assert [*rows] == closed.words
        assert len(rows) > 20
        for word, made in rows.items():
            assert type_by_trial(word, kept, shapes) == made
            assert isinstance(made, WordProperties)


# Proofs --------------------------------------------------------------------------------------------------------


def proved(schema: m.Schema, class_name: str | None = None) -> tuple[dict[str, bool], str]:
    """Return what is proved of a schema by a certificate that is accepted, and an arrangement that is not derived."""
    try:
        found = find_proof(schema, QuickQuestions(), ("sound", "complete"), class_name)
    except (NotProved, SolverFailed):
        return {}, ""
    if found.certificate is None:
        return {}, found.arrangement
    certificate = certificate_of(found.certificate.text(), "text")
    assert certificate == found.certificate
    assert not refusal(schema, certificate)
    return {"sound": certificate.sound, "complete": certificate.complete}, found.arrangement


def test_what_is_proved() -> None:
    """A schema for ill-nested trees is complete for well-nested ones."""
    assert proved(schemata.load("mg1").definition, "wg-1") == ({"sound": False, "complete": True}, "")
    assert proved(schemata.load("wg1").definition, "wg-2") == ({}, "")
    assert proved(schemata.load("wg1").definition, "mg-1")[0] == {"sound": True, "complete": False}


@pytest.mark.thorough
def test_what_is_proved_of_ill_nested_trees_and_of_two_gaps() -> None:
    """What a published schema misses is shown."""
    assert proved(schemata.load("mg1").definition) == ({"sound": True, "complete": True}, "")
    published = schemata.load("wgk-published:k=2")
    answers, arrangement = proved(published.definition)
    assert answers == {"sound": True, "complete": False}
    # A dependent of the head stands in the gap of another, beside none of its ends.
    assert arrangement.startswith("<_o_|")
    found = prove(published, "wg-2")
    assert found.answers == {"sound": True, "complete": False, "each_once": False}
    heads = found.trees["complete"]
    assert tree_class("wg-2").contains(schemata.DependencyTree(heads))
    assert derivations(published, heads) == 0


def test_a_schema_that_is_refuted() -> None:
    """Without a step a schema misses trees; the tree of the arrangement at which the proof stops shows it."""
    schema = schema_from(
        "schema less extends wg1\nwithout step Shrinking Gap Centre\nwithout step Closing Gap\n"
    )
    found = prove(schema, "wg-1")
    assert found.answers["sound"] is True
    assert found.answers["complete"] is False
    one = schema_from("schema less extends wgk-published(k = 2)\n")
    assert derivations(one, (3, 1, 0, 1, 3, 2)) == 0


@pytest.mark.thorough
def test_far_away() -> None:
    """A schema that is right but for long items has no proof, unless other steps do for the one that is amiss."""
    far = schema_from(
        "schema far extends wg1\nreplace step Link Ungapped\n  tree[h1, h1, h1, -, -]   tree[i, j, h2, -, -]\n"
        "  ---------------------------------------------  attach h2 to h1, j - i != 7\n"
        "  tree[i, j, h1, -, -]                           h2 in [i..j], h1 not in [i..j]\n"
    )
    assert proved(far.definition)[0] == {"sound": True, "complete": False}
    assert derivations(far, (9, *range(1, 8), 0)) == 0
    near = schema_from(
        "schema near extends wg1\nreplace step Combine Ungapped\n  tree[i, j, h, -, -]   tree[j + 1, k, h, -, -]\n"
        "  ---------------------------------------------  k - i != 7\n  tree[i, k, h, -, -]\n"
    )
    # What stands beside each other, or on both sides of the head, is put together by Closing Gap and Opening Gap, too.
    assert proved(near.definition)[0] == {"sound": True, "complete": True}
    for n, seed in itertools.product((8, 9, 10), range(6)):
        assert derivations(near, random_projective_tree(n, seed).heads)
    for at in range(1, 9):
        assert derivations(near, (*[at] * (at - 1), 0, *[at] * (8 - at)))


def test_ends_of_derivations() -> None:
    """Where a word alone is no hypothesis, or a tree over all words no final item, there is no proof."""
    for change in (
        "replace hypothesis tree[h, h, h, -, -]  where 1 <= h <= n - 1",
        "replace final tree[1, n, 1, -, -]",
    ):
        changed_one = schema_from(f"schema less extends wg1\n{change}\n")
        assert proved(changed_one.definition)[0] == {"sound": True, "complete": False}


@pytest.mark.parametrize("words", ["1, 1, _", "n, n, _", "h, h, h"])
def test_final_items_of_other_words(words: str) -> None:
    """A final item that leaves out words makes up for none over all words that is not final, in trees of any length."""
    text = f"schema less extends wg1\nreplace final tree[1, n, _, -, -]  where n <= 5\nfinal tree[{words}, -, -]\n"
    schema = schema_from(text)
    assert schema.verify("wg-1", 4).complete is True
    assert derivations(schema, (2, 3, 0, 3, 4)) != 0
    assert derivations(schema, (2, 3, 0, 3, 4, 5)) == 0
    assert not proved(schema.definition)[0].get("complete")


@pytest.mark.thorough
def test_a_link_to_ones_own_head() -> None:
    """A step that may link a tree to a word of its own, or one that is covered twice, is not sound."""
    for condition in ("h2 in [i..j]", "h1 not in [i..j]"):
        text = (
            "schema loose extends wg1\nreplace step Link Ungapped\n  tree[h1, h1, h1, -, -]   tree[i, j, h2, -, -]\n"
            f"  ---------------------------------------------  attach h2 to h1, {condition}\n"
            "  tree[i, j, h1, -, -]\n"
        )
        assert not proved(schema_from(text).definition)[0].get("sound")
    text = (
        "schema loose extends wg1\nreplace step Keeping Gap Left\n  tree[i, j, h, l, r]   tree[k, m, h, -, -]\n"
        "  -----------------------------------------  j <= k\n  tree[i, m, h, l, r]\n"
    )
    assert not proved(schema_from(text).definition)[0].get("sound")


def changed(name: str) -> list[tuple[str, m.Schema]]:
    """Return schemata with one change, those with an equation of the normal form left out or shifted included."""
    schema = schemata.load(name).definition
    rows = [(said, mutant) for said, _, mutant in mutants(schema, (4,))]
    form = schema.forms[0]
    for k in range(len(form.equations)):
        less = schemata.records.replace(form, equations=form.equations[:k] + form.equations[k + 1 :])
        rows.append(
            (f"equation {k} left out", schemata.records.replace(schema, forms=(less, *schema.forms[1:])))
        )
    return rows


def compare(name: str, rows: list[tuple[str, m.Schema]], class_name: str, max_n: int) -> tuple[int, int]:
    """Compare proofs with runs; returns how many schemata have a proof of something, and how many have none."""
    yes = no = 0
    for said, mutant in rows:
        try:
            answers, _ = proved(mutant, class_name)
        except UsageError:
            continue
        if not any(answers.values()):
            no += 1
            continue
        yes += 1
        verdict = ParsingSchema(mutant).verify(class_name, max_n)
        for claim, answer in answers.items():
            assert not answer or getattr(verdict, claim) is not False, (name, said, claim)
    return yes, no


@pytest.mark.parametrize("amount", [4, pytest.param(8, marks=pytest.mark.thorough)])
def test_changed_schemata(amount: int) -> None:
    """No yes about a schema with one change that runs refute."""
    rows = random.Random(4).sample(changed("wg1"), amount)
    compare("wg1", rows, "wg-1", 4)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "class_name"), [("wg1", "wg-1"), ("mg1", "mg-1"), ("wgk:k=1", "wg-1")])
def test_all_changed_schemata(name: str, class_name: str) -> None:
    """No yes about any schema with one change that runs refute."""
    yes, no = compare(name, changed(name), class_name, 5)
    assert yes > 20
    assert no > 20


# Forgeries -----------------------------------------------------------------------------------------------------


def document_of(name: str) -> dict[str, Any]:
    """Return the JSON of a shipped certificate."""
    path = shipped_certificate(name)
    assert path is not None
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def refused(schema: m.Schema, forged: dict[str, Any], questions: Questions) -> bool:
    """Whether a forged certificate is none, or is refused."""
    try:
        certificate = certificate_of(json.dumps(forged), "forged")
    except UsageError:
        return True
    return bool(refusal(schema, certificate, questions))


@pytest.mark.parametrize(
    ("name", "links", "splits"),
    [
        ("wg1", 2, 3),
        pytest.param("wg1", 6, 12, marks=pytest.mark.thorough),
        pytest.param("mg1", 6, 12, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.thorough
def test_forgeries(name: str, links: int, splits: int) -> None:
    """Without a part that is needed, with another use of a step, or another claim, a certificate is refused."""
    schema, shared, rng = schemata.load(name).definition, Questions(), random.Random(8)
    whole = document_of(name)
    assert not refused(schema, whole, shared)
    assert refused(schema, whole | {"each_once": True}, shared)
    for other in ("wg-1", "mg-1", "wg-2", "projective", "all"):
        assert (other == whole["class"]) != refused(schema, whole | {"class": other}, shared)
    for key, draws in (("links", links), ("splits", splits)):
        for k in rng.sample(range(len(whole[key])), draws):
            rows = whole[key]
            assert refused(schema, whole | {key: rows[:k] + rows[k + 1 :]}, shared), (key, rows[k])
            text, *middle, step, heads = rows[k].split(" ")
            turned = heads.translate(str.maketrans("01", "10"))
            for use in (
                [str((int(step) + 1) % 10), heads],
                [step, turned],
                [step, heads + "t"],
                ["99", heads],
            ):
                forged = " ".join([text, *middle, *use])
                assert refused(schema, whole | {key: [*rows[:k], forged, *rows[k + 1 :]]}, shared), forged
    for forged in ("aab 0 000", "hab_ 4 000", "aha 2 000", "ab 2 000"):
        assert refused(schema, whole | {"splits": [*whole["splits"], forged]}, shared)
    head = whole["readings"][0]
    assert refused(
        schema, whole | {"readings": [[head[0], [1, *head[1][1:]], head[2]], *whole["readings"][1:]]}, shared
    )
    assert refused(schema, whole | {"readings": whole["readings"][1:]}, shared)


@pytest.mark.parametrize("draws", [4, pytest.param(12, marks=pytest.mark.thorough)])
def test_words_left_out(draws: int) -> None:
    """Without any one of its words the certificate of wg1 is refused, or another word covers those it covered."""
    schema, shared, whole = schemata.load("wg1").definition, Questions(), document_of("wg1")
    words = whole["words"].split(" ")
    for k in random.Random(3).sample(range(len(words)), draws):
        assert refused(schema, whole | {"words": " ".join(words[:k] + words[k + 1 :])}, shared), words[k]
    assert refused(schema, whole | {"words": whole["words"] + " __"}, shared)
    assert refused(schema, whole | {"words": whole["words"] + " <o"}, shared)


def test_a_certificate_of_another_schema() -> None:
    """A certificate proves nothing of a schema that its parts do not fit, even if it says that it is about that."""
    shared = Questions()
    for name, lender in (("mg1", "wg1"), ("wg1", "mg1"), ("eisner1996", "wg1"), ("wg1", "eisner1996")):
        schema = schemata.load(name).definition
        forged = document_of(lender)
        assert refused(schema, forged, shared)
        forged["checksum"] = checksum_of(schema, program_of(schema))
        accepted = (name, lender) == ("mg1", "wg1")
        if accepted:  # mg1 has all steps of wg1, and more: complete, but not sound
            assert not refused(schema, forged | {"sound": False}, shared)
        assert refused(schema, forged, shared)


def test_shipped_certificates_are_of_their_classes() -> None:
    """The class of a certificate is that of the claim that is tested by runs."""
    found = {}
    for name in ("wg1", "mg1", "wgk-published:k=1", "wgk:k=1", "wgk", "mgk", "mgk:k=2"):
        path = shipped_certificate(name)
        assert path is not None, name
        certificate = read_certificate(path)
        assert isinstance(certificate, GapCertificate)
        found[name] = certificate.class_name, certificate.sound, certificate.complete
    assert found["wg1"] == ("wg-1", True, True)
    assert found["mgk:k=2"] == ("mg-2", True, True)
    assert found["wgk"] == ("wg-2", True, True)
