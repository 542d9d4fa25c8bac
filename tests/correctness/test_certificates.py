"""Certificates: those that are shipped are accepted again, forged ones are refused, and the checker does not search."""

from __future__ import annotations

import ast
import functools
import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata.correctness.answers import known_correctness, read_certificate
from schemata.correctness.certificate import Certificate, NotProved, checksum_of
from schemata.correctness.questions import Questions
from schemata.correctness.recheck import certificate_of, refusal
from schemata.correctness.shipped import CLAIMS, file_name, shipped_certificate
from schemata.correctness.steps import program_of
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.shipped import shipped_files
from schemata.verification.claims import shipped_claims
from tests.correctness.mutants import mutants, refuted

SHIPPED = sorted(shipped_files(".certificate"))
REFERENCES = {file_name(claim.reference): claim.reference for claim in shipped_claims()}
LARGEST = 8_000  # characters of a certificate that is shipped, but for those of two gaps
TWO_GAPS = {"wgk": 12_000, "mgk_k_2": 30_000}


def of(name: str) -> Certificate:
    """Return the certificate that is shipped for a schema."""
    path = shipped_certificate(name)
    assert path is not None
    return read_certificate(path)


@pytest.mark.rotated(6, 2)
@pytest.mark.parametrize(
    "stem", [pytest.param(x, marks=pytest.mark.thorough) if x in TWO_GAPS else x for x in SHIPPED]
)
def test_shipped_certificates_are_accepted(stem: str) -> None:
    """Each is about a shipped schema as it is now, small, and a proof of what it claims."""
    path = shipped_files(".certificate")[stem]
    certificate = read_certificate(path)
    schema = schemata.load(certificate.schema).definition
    assert file_name(certificate.schema) == stem
    assert len(path.read_text("utf-8")) < TWO_GAPS.get(stem, LARGEST)
    assert not refusal(schema, certificate)
    known = known_correctness(schema)
    assert known is not None
    assert known.answers == {claim: getattr(certificate, claim) or None for claim in CLAIMS}


def test_claims_agree_with_certificates() -> None:
    """Nothing is proved that the catalogue denies, and thirty schemata at least have certificates."""
    assert len(SHIPPED) >= 30
    for claim in shipped_claims():
        if claim.class_name == "projective" and (path := shipped_certificate(claim.reference)):
            certificate = read_certificate(path)
            for name in CLAIMS:
                assert getattr(claim, name) or not getattr(certificate, name), (claim.reference, name)


# The checker ---------------------------------------------------------------------------------------------------

SEARCH = {"search", "frames", "closure", "lengthen", "answers"}


def test_the_checker_searches_for_nothing() -> None:
    """`recheck` imports no module of the search, nor does what it imports; patterns are built by `frames` alone."""
    package = Path(schemata.__file__).parent
    waiting, met = ["schemata.correctness.recheck"], set[str]()
    while waiting:
        name = waiting.pop()
        if name in met or not name.startswith("schemata."):
            continue
        met.add(name)
        file = package.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if file.is_file():
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    assert {f"schemata.correctness.{name}" for name in ("checker", "cover", "contexts", "trial")} <= met
    # The language and the programs are what a proof is about; of these the walk goes on to everything.
    direct = {name.removeprefix("schemata.correctness.") for name in met if "correctness" in name}
    assert not direct & SEARCH


def test_modules_that_a_check_loads() -> None:
    """A check in a process of its own loads no module of the search."""
    program = (
        "import sys, schemata\n"
        "from schemata.correctness.recheck import certificate_of, refusal\n"
        "text = open(sys.argv[1], encoding='utf-8').read()\n"
        "schema = schemata.load('eisner-split').definition\n"
        "assert not refusal(schema, certificate_of(text, 'file'))\n"
        "print(*(x for x in sys.modules if x.startswith('schemata.correctness.')))\n"
    )
    path = shipped_certificate("eisner-split")
    command = [sys.executable, "-c", program, str(path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()
    assert "schemata.correctness.checker" in loaded
    assert not {name.rpartition(".")[2] for name in loaded} & SEARCH


# Forgeries -----------------------------------------------------------------------------------------------------

SMALL = ("eisner1996", "yamada-matsumoto2003-once", "eisner-split", "arc-eager-once")


def document_of(name: str) -> dict[str, Any]:
    """Return the JSON of a shipped certificate."""
    found: dict[str, Any] = json.loads(of(name).text())
    return found


def refused(schema: m.Schema, forged: dict[str, Any], questions: Questions | None = None) -> bool:
    """Whether a forged certificate is not a certificate, or is refused; forgeries may share answers of the solver."""
    try:
        certificate = certificate_of(json.dumps(forged), "forged")
    except UsageError:
        return True
    return bool(refusal(schema, certificate, questions))


def bound_to(schema: m.Schema, forged: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate bound to another schema than its own."""
    return forged | {"checksum": checksum_of(schema, program_of(schema))}


@pytest.mark.parametrize("name", SMALL)
def test_a_type_left_out(name: str) -> None:
    """Without any one of its types a certificate is refused."""
    whole = document_of(name)
    types = whole["types"].split(" ")
    schema = schemata.load(name).definition
    shared = Questions()
    for k in random.Random(1).sample(range(len(types)), 8):
        assert refused(schema, whole | {"types": " ".join(types[:k] + types[k + 1 :])}, shared)
    assert refused(schema, whole | {"types": whole["types"] + " (.)(("})


@pytest.mark.parametrize("name", SMALL)
def test_an_element_left_out(name: str) -> None:
    """Without any one element of a meaning a certificate is refused: meanings are the least ones."""
    schema, shared = schemata.load(name).definition, Questions()
    for kind in range(len(document_of(name)["kinds"])):
        for k in range(len(document_of(name)["kinds"][kind]["meaning"])):
            forged = document_of(name)
            row = forged["kinds"][kind]
            del row["meaning"][k]
            for of_given in row["ways"]:
                del of_given[k]
            assert refused(schema, forged, shared)


def test_other_schemata() -> None:
    """A certificate of one schema proves nothing of another, even if it says that it is about that."""
    names = [*SMALL, "eisner1996-once", "hybrid-once", "vine", "collins1996-once"]
    for one, other in itertools.permutations(names, 2):
        schema = schemata.load(other).definition
        assert refused(schema, document_of(one))
        forged = bound_to(schema, document_of(one))
        # What accepts eisner1996's parts as a proof about vine would call vine complete.
        assert refused(schema, forged)


@pytest.mark.parametrize("name", ["vine", "eisner1996", "arc-eager-published"])
def test_a_claim_added(name: str) -> None:
    """No certificate proves what is not so, whatever parts it borrows."""
    schema = schemata.load(name).definition
    own = document_of(name)
    lender = document_of({"vine": "eisner1996"}.get(name, name))
    for claim in CLAIMS:
        if not own[claim]:
            assert refused(schema, own | {claim: True})
            borrowed = {key: lender[key] for key in ("kinds", "types", "plans", "features", "invariants")}
            assert refused(schema, bound_to(schema, own | borrowed | {claim: True}))


def changes(value: Any, rng: random.Random) -> Iterator[Callable[[], None]]:
    """Yield small changes of a JSON document: a number, a text or a flag altered, an entry left out or doubled."""
    places = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, part in places:
        if isinstance(part, dict | list):
            yield from changes(part, rng)
            if isinstance(part, list) and part:
                k = rng.randrange(len(part))
                yield functools.partial(part.__delitem__, k)
                yield functools.partial(part.insert, k, part[k])
        elif isinstance(part, bool):
            yield functools.partial(value.__setitem__, key, not part)
        elif isinstance(part, int):
            yield functools.partial(value.__setitem__, key, part + rng.choice((-1, 1)))
        elif isinstance(part, str) and key not in ("schema", "checksum", "types", "class"):
            yield functools.partial(value.__setitem__, key, _altered(part, rng))


def _altered(text: str, rng: random.Random) -> str:
    k = rng.randrange(len(text) + 1)
    other = rng.choice(["", *"01.x()[]/:=-"])
    return text[:k] + other + text[k + 1 :]


@pytest.mark.parametrize(
    ("name", "draws"),
    [
        ("yamada-matsumoto2003-once", 40),
        pytest.param("yamada-matsumoto2003-once", 200, marks=pytest.mark.thorough),
        pytest.param("eisner-split", 200, marks=pytest.mark.thorough),
    ],
)
def test_random_changes(name: str, draws: int) -> None:
    """Changed at random, certificates are refused, or prove what holds all the same: no claim is added."""
    schema, rng, shared = schemata.load(name).definition, random.Random(7), Questions()
    whole = document_of(name)
    count = len(list(changes(whole, random.Random(0))))
    drawn = rejected = 0
    for k in rng.sample(range(count), min(count, draws)):
        forged = document_of(name)
        next(itertools.islice(changes(forged, rng), k, None))()
        if forged != whole:
            shared = (
                Questions() if drawn % 20 == 0 else shared
            )  # which are asked for so many seconds together
            drawn += 1
            rejected += refused(schema, forged, shared)
    assert drawn > 0.6 * min(count, draws)
    assert (
        rejected > 0.6 * drawn
    )  # the rest is what a proof can do without, such as an invariant nothing needs


@pytest.mark.parametrize(
    ("name", "draws"),
    [
        ("yamada-matsumoto2003-once", 16),
        pytest.param("yamada-matsumoto2003-once", 200, marks=pytest.mark.thorough),
        pytest.param("eisner-split", 100, marks=pytest.mark.thorough),
        pytest.param("arc-eager-once", 100, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.thorough
def test_certificates_of_right_schemata_for_wrong_ones(name: str, draws: int) -> None:
    """The certificate of a schema is no proof of a claim about another like it, of which the claim does not hold."""
    schema, rng = schemata.load(name).definition, random.Random(3)
    wrong = 0
    rows = list(mutants(schema, (9,)))
    for said, _, mutant in rng.sample(rows, min(draws, len(rows))):
        try:
            forged = bound_to(mutant, document_of(name))
        except NotProved:
            continue
        if refused(mutant, forged):
            wrong += 1
        else:
            assert not refuted(mutant, 4), said
    assert wrong > 0.2 * min(draws, len(rows))
