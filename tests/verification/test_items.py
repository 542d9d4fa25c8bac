"""Claims about what items stand for: those of the papers, and mistakes that must be found."""

from itertools import combinations_with_replacement, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import SchemaError, UsageError
from schemata.grammars.rules import Rule
from schemata.kinds import DEPENDENCY_RULES
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema, schema_path
from schemata.language.meanings import read_claim
from schemata.language.shipped import shipped_schemata
from schemata.language.typeset import meaning_text
from schemata.verification.forests import RuleTrees, claimed_forests, open_words
from schemata.verification.grammars import RuleGrammar, complete_rules, random_rule_grammars
from schemata.verification.items import verify_items
from schemata.workbench import load
from tests.support.charts import schema_of

CLAIMED = tuple(name for name in shipped_schemata() if load_schema(name).meanings)
WITH_PARAMETERS = ("eisner1996:end=1", "vine:k=1", "attardi2006:d=1", "mgk:k=2", "wgk:k=1")


def texts(name: str) -> tuple[str, ...]:
    """Return the claims that a shipped schema states."""
    definition = load(name).definition
    return tuple(meaning_text(definition, one, ascii=True) for one in definition.meanings)


def test_claims_are_stated_where_the_sources_say_what_items_are() -> None:
    assert set(CLAIMED) >= {
        "collins1996", "generalised-eisner-satta", "eisner1996", "eisner-satta1999", "yamada-matsumoto2003",
        "nivre2003", "covington2001", "arc-standard", "arc-eager", "hybrid", "attardi-unbounded", "mh", "wg1", "wgk",
        "wgk-published", "mg1", "mgk",
    }  # fmt: skip
    assert not load_schema("mh", {"k": 4}).meanings  # what the items of more heads are, no source says
    assert set(CLAIMED) >= {
        "cky-arity", "vine", "nivre2003-stacks", "wg1-once", "pitler2013", "covington-lsup", "koo-collins2010-model2",
        "arc-eager-published",
    }  # fmt: skip
    assert set(CLAIMED) >= {
        "barbero1998", "bulc", "dvh1", "dvh2", "dvh3", "head-corner3", "head-corner5", "kahane1998",
        "lombardo-lesmo1996", "wg1-unlexicalised", "eisner-labelled", "eisner-tagged",
    }  # fmt: skip
    assert load_schema("kahane1998-published").meanings != load_schema("bulc").meanings  # not inherited
    assert not load_schema("pitler2013", {"free": 1}).meanings


@pytest.mark.parametrize("name", [*CLAIMED, *WITH_PARAMETERS])
@pytest.mark.rotated(6, 2)
def test_the_papers_claims_hold(name: str) -> None:
    """Lemma 1 is the claim about wg1, proposition 1 that about mg1 and mgk; covington2001 builds cycles, too."""
    verdict = verify_items(name, max_n=3 if load(name).definition.grammar == DEPENDENCY_RULES else 4)
    assert verdict.sound is (name != "covington2001")
    assert verdict.complete
    assert verdict.items > 20
    assert verdict.claims == texts(name)


@pytest.mark.thorough
@pytest.mark.rotated(4)
@pytest.mark.parametrize(
    "name", [x for x in CLAIMED if load_schema(x).grammar == DEPENDENCY_RULES] + ["wg1-unlexicalised"]
)
def test_claims_hold_of_longer_sentences(name: str) -> None:
    assert verify_items(name, max_n=5 if name == "wg1-unlexicalised" else 4).holds


@pytest.mark.thorough
def test_the_published_schema_for_k_gaps_lacks_items_first_with_six_words() -> None:
    """Its smallest tree that is missed has six words; so has the smallest item."""
    assert verify_items("wgk-published", max_n=5).holds
    verdict = verify_items("wgk-published", max_n=6)
    assert (verdict.sound, verdict.complete) == (True, False)
    assert verdict.wrong[0].n == 6
    assert verify_items("wgk", max_n=6).holds


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("eisner1996", "projective", "well-nested"),
        ("eisner1996", "[i..j]", "[i..j - 1]"),
        ("hybrid", "trees i, j", "tree i"),
        ("hybrid-once", "not link _ to j", "not link _ to i"),
        ("hybrid-once", ", link _ to j", ", one link _ to j"),
        ("yamada-matsumoto2003-once", ", link _ to j", ""),
        ("arc-standard-hook", "one link _ to h", "link _ to h"),
        ("arc-standard-hook", "one link _ to h", "one link h to _"),
        ("eisner1996-once", "not link j to i", "not link i to j"),
        ("eisner1996-once", ", link i to j", ", one link _ to j"),
        ("arc-standard-words", "where s1 < s0", "where s0 < i"),
        ("arc-eager", " where (0 < i) or (not b)", ""),
        ("nivre2003", ", open i, x for (x, _) in L", ""),
        ("nivre2003", "open i, x for (x, _) in L", "open i, x for (x, false) in L"),
        ("nivre2003", "(x, false)", "(x, true)"),
        ("nivre2003", " where (i, _) not in L", ""),
        ("attardi-unbounded", "[i..j]", "[i..j], well-nested"),
        ("mh", "trees i, *H, j", "trees i, *H"),
        ("wgk", "gap-degree-2", "gap-degree-1"),
        ("wgk", " with h", ""),
        ("wg1", "[i..j] minus [l..r]", "[i..j]"),
        ("mgk", "mg-1", "mg-1, below gap-degree-0"),
        ("eisner-split", "link m to h", "link h to m"),
        ("koo-collins2010-model0", ", link m to h", ""),
        ("koo-collins2010-model2", "[s + 1..m - 1]", "[s..m - 1]"),
        ("koo-collins2010-model2", ", not link [h + 1..m - 1] to h", ""),
        ("cky-arity", "a links _ to h", "link _ to h"),
        ("cky-arity", "a links _ to h", "a links h to _"),
        ("vine", "length-3", "length-2"),
        ("vine:k=2", "length-2", "length-3"),
        ("nivre2003-stacks", "open at least", "open"),
        ("nivre2003-stacks", ", link x to h for (h, _), (x, true) in S", ""),
        ("nivre2003-stacks", "link x to h for", "link h to x for"),
        ("nivre2003-stacks", "(h, _), (x, true)", "(h, false), (x, true)"),
        ("covington-lsup", ", covington-lsup", ""),
        ("covington-lsup", ", not link _ to i", ""),
        ("wg1-once", "one link _", "several links _"),
        ("wg1-once", "several outer links", "several links"),
        ("wg1-once", ", one outer link _ to h", ""),
        ("wg1-once", "one outer link", "one link"),
        ("pitler2013", "1ec, ", ""),
        ("pitler2013", "crossed by i,", "crossed by i and j,"),
        ("pitler2013", "crossed by i,", "uncrossed,"),
        ("pitler2013", " without [x..j]", ""),
        ("pitler2013", "i if not a, ", "i if a, "),
        ("pitler2013", ", i connected to j iff ij", ""),
        ("pitler2013", "i not connected to j, ", ""),
        ("pitler2013", "not link between i and j", "not link i to j"),
        ("wg1-unlexicalised", "trees *_", "tree _"),
        ("wg1-unlexicalised", "trees *_", "trees _, _"),
        pytest.param("wg1-unlexicalised", "tree _", "trees *_", marks=pytest.mark.thorough),
        pytest.param("wg1-unlexicalised", ", link i to _", "", marks=pytest.mark.thorough),
        ("eisner-labelled", ", link m to h", ""),
        ("eisner-labelled", "[h..m], projective", "[h..m]"),
        ("eisner-tagged", "i == 0", "i == 1"),
        ("eisner-tagged", " where not (S is absent)", ""),
        ("bulc", ", projective", ""),
        ("bulc", "[i..j]", "[i + 1..j]"),
        ("dvh2", "[_(*_ . *beta . *_)", "[_(*beta . *_ . *_)"),
        ("lombardo-lesmo1996", ", expected at i", ""),
        ("lombardo-lesmo1996", "expected at i", "expected at 1"),
        ("lombardo-lesmo1996", " with i - 1", ""),
        ("barbero1998", ", expected at i", ""),
        ("kahane1998", " where i <= n", ""),
        ("kahane1998", " with i - 1", " with 0"),
        ("head-corner3", ' where "^" in beta', ""),
        ("kahane1998-published", ", head-first", ""),
        ("kahane1998-published", ' where "^" in alpha', ""),
        ("kahane1998-published", "[i..j]", "[i + 1..j]"),
        ("head-corner5", ", not link h to _", ""),
    ],
)  # fmt: skip
@pytest.mark.rotated(10, 3)
def test_claims_that_are_false_in_one_place_are_refuted(name: str, old: str, new: str) -> None:
    """Each part of each kind of claim counts."""
    claims = texts(name)
    assert any(old in text for text in claims)
    longest = 5 if name == "wgk" or old in ("1ec, ", "tree _", ", link i to _") else 4
    if load(name).definition.grammar == DEPENDENCY_RULES:
        longest = 3
    verdict = verify_items(name, [text.replace(old, new) for text in claims], longest)
    assert not verdict.holds
    assert verdict.wrong[0].n <= 5


@given(st.data())
def test_open_words_can_take_a_word_behind_the_forest(data: st.DataObject) -> None:
    """Under these alone one more word at its end can go, if trees behind them may go under that word."""
    n = data.draw(st.integers(1, 5))
    words = frozenset(range(1, n + 1))
    heads = data.draw(st.sets(st.integers(1, n), min_size=1))
    forests = sorted(claimed_forests(frozenset(heads), words, (("projective", 0, False),), n))
    if not forests:
        return
    links = data.draw(st.sampled_from(forests))

    def intervals(above: dict[int, int]) -> bool:
        for word in range(1, n + 2):
            below = {word}
            while more := {d for d, h in above.items() if h in below} - below:
                below |= more
            if above.get(word) in below or max(below) - min(below) + 1 != len(below):
                return False
        return True

    roots = sorted(heads)
    choices = product((0, 1), repeat=len(roots))
    ways = [{h: n + 1 for h, moved in zip(roots, choice, strict=True) if moved} for choice in choices]
    free = {w for w in words for way in ways if w not in way if intervals(dict(links) | way | {n + 1: w})}
    assert open_words(links, words) == free


def test_forests_by_another_enumeration() -> None:
    """Projective trees of 1..n headed at h: of all heads those where each word between a link's ends hangs below it."""
    for n, h in ((3, 1), (4, 2), (4, 4)):
        found = set()
        for heads in product(range(n + 1), repeat=n):
            if [d for d, x in enumerate(heads, 1) if x == 0] != [h]:
                continue

            def above(word: int, heads: tuple[int, ...] = heads) -> list[int]:
                seen: list[int] = []
                while word and word not in seen:
                    seen.append(word)
                    word = heads[word - 1]
                return [*seen, word]

            if any(above(d)[-1] for d in range(1, n + 1)):
                continue
            links = [(d, x) for d, x in enumerate(heads, 1) if x]
            if all(x in above(k) for d, x in links for k in range(min(d, x), max(d, x))):
                found.add(tuple(links))
        words = frozenset(range(1, n + 1))
        assert claimed_forests(frozenset({h}), words, (("projective", 0, False),), n) == found


def row_of(symbols: tuple[str, ...], lhs: str, i: int, j: int, grammar: RuleGrammar) -> set[str]:
    """Return the trees of symbols over the words i to j, which are divided among them from left to right."""
    if not symbols:
        return {""} if j == i - 1 else set()
    found = set()
    for k in range(i, j + 2 - len(symbols)):
        own = {str(k)} if symbols[0] == "^" and k == i and lhs in grammar.categories[k - 1] else set()
        if symbols[0] != "^":
            bodies = [rule.body for rule in grammar.rules if rule.lhs == symbols[0]]
            own = {
                f"{symbols[0]}({below})"
                for body in bodies
                for below in row_of(body, symbols[0], i, k, grammar)
            }
        rest = row_of(symbols[1:], lhs, k + 1, j, grammar) if own else set()
        found |= {f"{one} {more}".strip() for one in own for more in rest}
    return found


def test_trees_of_rules_by_another_enumeration() -> None:
    """Words are divided among the symbols, where the claim goes through all forests."""
    (meaning,) = load("bulc").definition.meanings
    rng, trees = Random(3), 0
    for n in (1, 2, 3, 4):
        for case in [*random_rule_grammars(n, 12, rng), complete_rules(n)]:
            rules = RuleTrees(case.provide())
            for rule in case.rules:
                for i, j in combinations_with_replacement(range(1, n + 1), 2):
                    for k in range(1, len(rule.body) + 1):
                        binding = {"alpha": rule.body[:k], "i": i, "j": j, "n": n}
                        found = rules.claimed(meaning, binding, n, rule.lhs)
                        shown = {" ".join(map(str, row)) for row in found}
                        assert shown == row_of(rule.body[:k], rule.lhs, i, j, case)
                        trees += len(shown)
    assert trees > 200


def test_what_is_expected_can_follow_in_a_derivation() -> None:
    """A B* grammar: S takes A to its left, A takes Bs to its right, C nothing, and nothing takes C."""
    grammar = RuleGrammar(
        tuple(
            Rule(*x) for x in (("S", ("A", "^")), ("A", ("^", "B", "B")), ("B", ("^",)), ("C", ("^", "B")))
        ),
        frozenset("S"),
        tuple(map(frozenset, ("A", "B", "B", "S"))),
    )
    expected = RuleTrees(grammar.provide()).expected()
    assert expected == {("*root*", 1), ("S", 1), ("A", 1), ("B", 2), ("B", 3)}


@pytest.mark.parametrize(
    ("old", "new", "fault", "item"),
    [
        ("attach j to i", "attach j to i, j - i == 1", "incomplete", "span[0, 3]"),
        ("-----------------------  attach j to k", "-------  link j to i", "incomplete", "span[0, 2]"),
    ],
)  # fmt: skip
def test_broken_schemata_are_found(old: str, new: str, fault: str, item: str) -> None:
    """A condition and a wrong link make items lack forests; the smallest such item is the witness."""
    schema = schema_of(schema_path("yamada-matsumoto2003").read_text("utf-8").replace(old, new, 1))
    verdict = verify_items(schema, max_n=4)  # the file states what its items stand for
    assert not verdict.complete
    (wrong,) = [one for one in verdict.wrong if one.fault == fault]
    assert wrong.item == item


def test_an_unsound_schema_is_found() -> None:
    """Spans that overlap give a word two heads, or make a cycle."""
    claims = ["tree[i, j, h]: tree h over [i..j], projective"]
    verdict = verify_items(
        "collins1996", ["tree[i, j, h]: tree h over [i..j], below gap-degree-0, well-nested"], 3
    )
    assert verdict.holds  # a whole interval has no gap either
    schema = schema_of(
        schema_path("collins1996").read_text("utf-8").replace("tree[j + 1, k, h2]", "tree[m, k, h2]", 1)
    )
    verdict = verify_items(schema, claims, 3)
    assert not verdict.sound
    assert verdict.wrong[0].fault == "unsound"
    assert verdict.wrong[0].n == 2


def test_weaker_and_stronger_claims() -> None:
    more = verify_items("yamada-matsumoto2003", ["span[i, j]: trees i, j over [i..j], gap-degree-1"], 4)
    assert (more.sound, more.complete, more.wrong[0].n) == (True, False, 3)
    fewer = verify_items(
        "wg1", [text.replace("below gap-degree-1", "below gap-degree-0") for text in texts("wg1")], 4
    )
    assert (fewer.sound, fewer.complete) == (False, True)
    some = verify_items("eisner1996", ["span[i, j, false, true]: tree i over [i..j], projective"], 3)
    assert {one.fault for one in some.wrong} == {"unclaimed"}


@pytest.mark.parametrize(
    ("claim", "message", "column"),
    [
        ("span[i]: trees i over [i..i]", "span has 2 fields, not 1", 1),
        ("spam[i, j]: trees i, j over [i..j]", "unknown item form spam", 1),
        ("span[i, j]: trees i, k over [i..j]", "variable k is bound nowhere", 22),
        ("span[i, j]: trees i, j over [i..j], planar", "planar is not a class of forests", 37),
        ("span[i, j]: trees i, j over [i..j], gap-degree", "", 0),
        ("span[i, j]: trees i, j over [i..j], gap-degree-k", "k is neither a number nor a parameter", 48),
        ("span[i, j]: trees i, j over i, projective", "i is a position", 29),
        ("span[i, j]: trees i, *L over [i..j]", "variable L is bound nowhere", 22),
        ("span[i, j]: trees x for (x, false) in i over [i..j]", "i is not a list", 39),
        ("span[i, j]: tree i over [i..j], link x to y for x, y in j", "j is not a list", 57),
        ("span[i, j]: tree i if k over [i..j]", "variable k is bound nowhere", 23),
        ("span[i, j]: tree i if attach i to j over [i..j]", "unexpected 'i' in the claim", 30),
        ("span[i, j]: tree i over [i..j], one outer linc _ to i", "unexpected 'outer'", 37),
        ("span[i, j]: tree i over [i..j], several links [i..k] to i", "variable k is bound nowhere", 51),
        ("span[i, j]: tree i over [i..j], i connected to k", "variable k is bound nowhere", 48),
        ("span[i, j]: tree i over [i..j], links between i and j crossed", "the claim about items ends too", 0),
        ("span[i, j]: tree i over [i..j], length-k", "k is neither a number nor a parameter", 40),
        ("span[i, j]: trees i, j", "the claim about items ends too early", 23),
        ("span[i, j]: trees i, j over [i..j] where attach i to j", "a claim about items cannot have", 42),
        ("", "nothing is claimed", 1),
        ("anything", "", 0),
    ],
)  # fmt: skip
def test_claims_that_are_none(claim: str, message: str, column: int) -> None:
    with pytest.raises(SchemaError) as caught:
        read_claim(claim, load("yamada-matsumoto2003").definition)
    (found,) = caught.value.diagnostics
    assert found.message.startswith(message)
    assert found.location is not None
    assert found.location.column == column or not column


def test_claims_stand_in_a_file_with_its_other_mistakes() -> None:
    text = schema_path("cyk").read_text("utf-8") + "\nmeans cell[A, i, j]: tree i over [i..j]\n"
    _, found = read_schema_text(text, "cyk.schema")
    assert any(one.code in ("no-forests", "unknown-form") for one in found)
    text = schema_path("hybrid").read_text("utf-8")
    text += "\nmeans span[i, j]: trees i, j over\n\nmeans span[i, _]: tree k\n"
    _, found = read_schema_text(text, "hybrid.schema")
    assert [(one.code, one.location and one.location.line) for one in found if one.severity == "error"] == [
        ("syntax", text.count("\n") - 2), ("syntax", text.count("\n")),
    ]  # fmt: skip


def test_claims_change_nothing_of_a_schema() -> None:
    """A schema with another claim is the same schema: relations, certificates and verdicts about it hold."""
    text = schema_path("hybrid").read_text("utf-8")
    other = text[: text.index("means")]
    assert schema_of(text).definition == schema_of(other).definition
    assert schema_of(text).definition.meanings != schema_of(other).definition.meanings


def test_schemata_without_forests_or_claims() -> None:
    with pytest.raises(UsageError, match="nothing is claimed about the items of mst"):
        verify_items("mst")
    for name in ("cyk", "noncrossing", "planar-system", "eisner-lg", "lcfrs", "itg"):
        with pytest.raises(UsageError, match=f"are about forests, which {name} does not build"):
            verify_items(name)


def test_facts_that_a_schema_wants_lacking_decide_no_claim() -> None:
    text = schema_path("eisner-labelled").read_text("utf-8")
    schema = schema_of(text.replace("label(m, h, L), link", "label(m, h, L), not below_root(m, L), link"))
    with pytest.raises(UsageError, match="may derive more under fewer facts"):
        verify_items(schema, max_n=2)


def test_a_broken_schema_over_dependency_rules_is_found(cli) -> None:
    """The dependent is read, and its link goes to another word; the trees are drawn with their rules."""
    text = schema_path("bulc").read_text("utf-8")
    for old, new, fault in (
        ("edge[B(*_ .), j + 1, k]", "edge[B(*_ .), j + 2, k]", "unsound"),
        ("  edge[A(*alpha ^ . *beta), i, h]", "  edge[A(*alpha ^ . *beta), i, h]  i == 1", "incomplete"),
    ):
        assert old in text
        verdict = verify_items(schema_of(text.replace(old, new, 1)), max_n=3)
        assert not verdict.holds
        assert fault in {one.fault for one in verdict.wrong}
        assert verdict.wrong[0].trees
        assert verdict.wrong[0].grammar is not None
    claim = "edge[_(*alpha . *_), i, j]: trees *alpha over [i..j], projective, link i to j"
    code, out, _ = cli("verify", "bulc", "--items", "--max-n", "2", "--means", claim)
    assert code == 1
    assert "the rules of the tree" in out


@pytest.mark.parametrize(
    ("name", "claim", "message"),
    [
        (
            "bulc",
            "edge[_(*alpha . *_), i, j]: trees i, j over [i..j]",
            "over dependency rules, the trees are those",
        ),
        (
            "bulc",
            "edge[_(*alpha . *_), i, j]: trees *_ over [i..j]",
            "over dependency rules, the trees are those",
        ),
        ("hybrid", "span[i, j]: trees i, j over [i..j], expected at i", "only rules of a dependency grammar"),
        ("hybrid", "span[i, j]: trees i, j over [i..j] with _", "_ has no value here"),
    ],
)
def test_claims_about_other_grammars(name: str, claim: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read_claim(claim, load(name).definition)
    assert caught.value.diagnostics[0].message.startswith(message)


def test_claims_are_written_as_they_are_read() -> None:
    for name in CLAIMED:
        schema = load(name).definition
        for text in texts(name):
            assert meaning_text(schema, read_claim(text, schema), ascii=True) == text


def test_the_command(cli, tells) -> None:
    code, out, _ = cli("verify", "yamada-matsumoto2003", "--items", "--max-n", "3")
    assert code == 0
    assert "19 items with 43 forests compared with brute force" in out
    claim = "span[i, j]: trees i, j over [i..j], gap-degree-1"
    found = tells("verify", "yamada-matsumoto2003", "--items", "--max-n", "3", "--means", claim, code=1)
    assert (found["sound"], found["complete"]) == (True, False)
    assert found["wrong"] == [
        {"n": 3, "item": "span[0, 3]", "fault": "incomplete", "links": [[1, 3], [2, 0]]}
    ]
    assert cli("verify", "hybrid", "--items", "--class", "projective").code == 2


def test_a_claim_about_no_item_for_these_parameters() -> None:
    with pytest.raises(SchemaError, match="no item with these parameters"):
        read_claim("heads[<i, j>]: trees i, j over [i..j] where k == 3", load("mh", k=4).definition)


def test_a_variable_of_a_claim_may_be_called_one() -> None:
    text = schema_path("covington2001").read_text("utf-8").replace("means state[i, L]", "means state[one, L]")
    text = text.replace("[1..i]", "[1..one]")
    for claim in ("", ", open one", ", one link one to 1", ", not link _ to one"):
        schema, found = read_schema_text(text.rstrip() + claim + "\n", "covington2001")
        assert schema is not None, found
