"""The check of a certificate: whether its parts are a proof of its claims, without any search for them.

This trusts lowering, the solver, the algebra of words and the lemmas of `docs/proofs.md`. It imports nothing that
searches (`search`, `frames`, `closure`): plans and ways are read, and types are found by trying all factorizations.
"""

from __future__ import annotations

import json

from schemata.correctness.certificate import VERSION, Certificate, NotProved, checksum_of, read_words
from schemata.correctness.checker import Checker
from schemata.correctness.cover import Cover
from schemata.correctness.gap_certificate import GapCertificate, read_gaps
from schemata.correctness.gap_checker import GapChecker
from schemata.correctness.questions import Questions
from schemata.correctness.shipped import CLASS
from schemata.correctness.steps import program_of, with_hidden
from schemata.correctness.trial import Trial
from schemata.errors import UsageError
from schemata.language import model as m


def certificate_of(text: str, file: str) -> Certificate | GapCertificate:
    """Return a certificate from its JSON: about words of forests, or about arrangements of trees with gaps.

    Raises
    ------
    UsageError : it is not such a document. Whether its claims are true is not checked here.
    """
    try:
        value = json.loads(text)
        if value["certificate"] != VERSION:
            raise UsageError(f"{file} is a certificate of version {value['certificate']}, not {VERSION}")
        return read_words(value) if value["class"] == CLASS else read_gaps(value)
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError):
        pass
    raise UsageError(
        f"{file} is not a certificate of correctness", expected="a file that --certificate writes"
    )


def refusal(
    schema: m.Schema, certificate: Certificate | GapCertificate, questions: Questions | None = None
) -> str:
    """Return the reason why a certificate does not prove its claims about a schema; an empty text if it does.

    Raises
    ------
    SolverFailed : the solver is not installed, or does not decide a question in time.
    """
    try:
        judge(schema, certificate, questions or Questions())
    except NotProved as reason:
        return str(reason)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        return "its parts do not fit together, or the schema"
    return ""


def judge(schema: m.Schema, certificate: Certificate | GapCertificate, questions: Questions) -> None:
    """Judge a certificate of either sort.

    Raises
    ------
    NotProved : it does not prove its claims.
    """
    if isinstance(certificate, Certificate):
        check(schema, certificate, questions)
        return
    program = program_of(schema)
    if certificate.checksum != checksum_of(schema, program):
        raise NotProved("it is about another schema, or one that has changed")
    nested = certificate.class_name.startswith("wg")
    checker = GapChecker(program, certificate.readings, questions, nested)
    if certificate.class_name != checker.class_name or certificate.each_once:
        raise NotProved("its claims are not of the kind that such a proof supports")
    checker.check_readings()
    checker.check_equations()
    if certificate.sound:
        checker.check_sound()
    if certificate.complete:
        checker.check_complete(certificate)


def check(schema: m.Schema, certificate: Certificate, questions: Questions) -> Checker:
    """Judge a certificate, and return the checker.

    Raises
    ------
    NotProved : it does not prove its claims.
    """
    program = program_of(schema)
    if certificate.checksum != checksum_of(schema, program):
        raise NotProved("it is about another schema, or one that has changed")
    if program.equations:
        raise NotProved("items with normal forms may have gaps, and words of forests have none")
    checker = Checker(
        with_hidden(program, certificate.hidden),
        certificate.features,
        certificate.invariants,
        certificate.layouts,
        questions,
        certificate.givens,
    )
    checker.check_invariants()
    checker.check_layouts()
    pairs = zip(checker.steps, certificate.plans, strict=True)
    checker.woven = [checker.weave(step, plan) for step, plan in pairs]
    checker.meanings = certificate.meanings
    if certificate.sound or certificate.each_once:
        checker.check_meanings()
    if certificate.sound:
        checker.check_sound()
    if certificate.complete or certificate.each_once:
        patterns = {p for woven in checker.woven if woven is not None for p in woven.patterns}
        types = Trial(checker.algebra, patterns, questions.heed).types(certificate.types)
        cover = Cover(checker)
        if certificate.complete:
            cover.check_ways(types, certificate.ways)
            cover.check_class(types.profiles)
        if certificate.each_once:
            cover.check_once(types)
    return checker
