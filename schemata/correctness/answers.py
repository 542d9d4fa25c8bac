"""Whether a schema is sound and complete for a class of trees of every length, and derives each of them once.

An answer is yes where a certificate was accepted by the checker, no where a run on a tree shows it, and unknown (None)
with a reason elsewhere. Certificates of shipped schemata are kept beside them (`schema_specs/certificates`), each
bound to its schema by a checksum; tests check them again. A claim may follow from the certificate of another schema,
too, along relations that carry it: then it is proved twice. A claim that a run refutes is a no, and an error if it is
proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.budget import Budget, OverBudget
from schemata.correctness.certificate import Certificate, NotProved, checksum_of
from schemata.correctness.gap_certificate import GapCertificate
from schemata.correctness.questions import Questions, QuickQuestions
from schemata.correctness.recheck import certificate_of, judge, refusal
from schemata.correctness.shipped import (
    CLAIMS,
    CLASS,
    Source,
    shipped_certificate,
    sources_along_relations,
)
from schemata.correctness.steps import program_of
from schemata.errors import UsageError
from schemata.kinds import DEPENDENCY_TREE
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.order.logic import SolverFailed
from schemata.quick_start import interrupts_put_off
from schemata.records import Record, Shown, field, fields_json, replace
from schemata.structures import DependencyTree, tree_class
from schemata.text_files import read_file
from schemata.thresholds import EFFORTS, REFUSALS
from schemata.wording import quantity
from schemata.workbench import ParsingSchema, Reference, schema_of

if TYPE_CHECKING:
    from schemata.correctness.search import ProofOutcome

NO_PROOF = "no certificate that is shipped proves it"


class Correctness(Record, Shown, repr=False):
    """Whether a schema is correct for every number of words.

    Parameters
    ----------
    schema : by reference, such as `mh:k=3`.
    answers : about the trees of the class, by claim: sound, complete, each_once; None if neither proved nor refuted.
    reasons : why an answer is None, by claim.
    trees : heads of trees that show that an answer is no, by claim, where they were found by lengthening.
    certificate : of all answers that are yes.
    shipped : whether it came with the schema.
    brief : whether no proof was requested: then only proofs under a second were searched for, and no trees.
    stopped : the limit that was hit ("seconds"), or "interrupt".
    class_name : the class of trees.
    along : by claim, another schema whose certificate proves it, and the relations along which it travels.
    contradicted : claims that are proved and that runs refute; there is a mistake in the proof, or in the runs.
    """

    schema: str
    answers: Mapping[str, bool | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    trees: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    certificate: Certificate | GapCertificate | None = None
    shipped: bool = False
    brief: bool = False
    stopped: str | None = None
    class_name: str = CLASS
    along: Mapping[str, Source] = field(default_factory=dict)
    contradicted: tuple[str, ...] = ()

    @property
    def twice(self) -> tuple[str, ...]:
        """The claims that a certificate of the schema proves, and one of another schema along relations."""
        proved = [claim for claim in self.along if self.answers[claim] is True]
        return tuple(claim for claim in proved if getattr(self.certificate, claim, False))

    @property
    def sound(self) -> bool | None:
        """Whether every structure in a final item is a tree of the class that the grammar licenses."""
        return self.answers["sound"]

    @property
    def complete(self) -> bool | None:
        """Whether every tree of the class is derived under its own grammar."""
        return self.answers["complete"]

    @property
    def each_once(self) -> bool | None:
        """Whether no tree has two derivations."""
        return self.answers["each_once"]

    @property
    def reason(self) -> str | None:
        """The reason why some answer is None, in one line."""
        rows: dict[str, list[str]] = {}
        for claim, reason in self.reasons.items():
            rows.setdefault(reason, []).append(claim.replace("_", " "))
        return "; ".join(f"{', '.join(claims)}: {reason}" for reason, claims in rows.items()) or None

    def to_json(self) -> dict[str, Any]:
        """Return the answers as a JSON object."""
        trees = {claim: list(heads) for claim, heads in self.trees.items()}
        found = fields_json(self, "sound complete each_once reason along? twice? contradicted?")
        return found | ({"trees": trees} if trees else {})


def prove(
    schema: Reference,
    class_name: str | None = None,
    *,
    verdict: Any = None,
    budget: Budget | None = None,
) -> Correctness:
    """Prove that a schema is sound and complete for every number of words, and derives each tree once, or refute it.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    class_name : the class of trees; None for `projective`, or for schemata whose items have gaps `wg-K` or `mg-K`.
    verdict : a `Verdict` on the schema and the class, by runs; None to run it on trees of at most four words.
    budget : limits; a proof takes 40 seconds at most.

    Raises
    ------
    SchemaError : the schema has errors.
    UsageError : there is no such schema, or proofs about it are about another class.

    >>> prove("eisner-split").answers
    {'sound': True, 'complete': True, 'each_once': True}
    >>> prove("nivre2003").reason
    'sound, complete, each once: items state have lists without a bound on their length'
    """
    chosen = schema_of(schema)
    limits = Budget().unless(budget)
    class_name = class_for_proofs(chosen, class_name)
    began = time.perf_counter()
    try:
        if verdict is None:
            verdict = chosen.verify(class_name, EFFORTS.tried_words, budget=limits)
        assert verdict is not None
        with interrupts_put_off() as interrupted:
            questions = QuickQuestions(max(0.0, limits.left(began)), interrupted)

            def checking() -> Questions:
                return Questions(max(0.0, limits.left(began)), interrupted)

            found = _proved(chosen, class_name or verdict.class_name, verdict, questions, checking)
    except KeyboardInterrupt:
        found = _unknown(chosen, "interrupted", "interrupt")
    except SolverFailed as failure:
        is_over = failure.patience or limits.left(began) <= 0
        found = _unknown(chosen, str(failure), "seconds" if is_over else None, verdict)
    except OverBudget as over:
        found = _unknown(chosen, limits.named(over.reason), over.reason, verdict)
    return along_relations(replace(found, class_name=class_name or found.class_name), chosen.definition)


def class_for_proofs(schema: ParsingSchema, wanted: str | None = None) -> str | None:
    """Return the class of trees that proofs about a schema are about: the wanted one, if one is given.

    Schemata that derive other structures have no proofs: for these the wanted class is returned as it is.

    Raises
    ------
    UsageError : proofs about the schema are about another class.
    """
    from schemata.correctness.search import proved_class

    if schema.definition.structure != DEPENDENCY_TREE:
        return wanted
    try:
        own = CLASS if wanted == CLASS else proved_class(schema.definition, QuickQuestions())
    except SolverFailed:
        own = CLASS  # the search says why
    near = {own, own.replace("mg", "wg")}
    if wanted is None or wanted in near:
        return wanted or own
    message = f"proofs for every number of words are about {own} trees, not about class {wanted}"
    raise UsageError(message, code="no-proof-of-class", expected=f"--class {own}")


def prove_briefly(schema: ParsingSchema, verdict: Any, class_name: str = CLASS) -> Correctness:
    """Prove, within `EFFORTS.brief_proof_seconds` of the processor, as many as possible of the claims that runs
    do not refute.

    Parameters
    ----------
    schema : over D-rules.
    verdict : by runs.
    class_name : the class that the verdict is about; only its claims about projective trees refute anything here.
    """
    seconds = EFFORTS.brief_proof_seconds
    known = verdict if class_name == CLASS else None
    late = f"no proof was found within {quantity(seconds, 'second')}: --for-every-n takes its time"
    try:
        with interrupts_put_off() as interrupted:
            end = time.process_time() + seconds
            # The rest is for the checker.
            questions = QuickQuestions(0.6 * seconds, interrupted, time.process_time)

            def checking() -> Questions:
                return Questions(max(0.0, end - time.process_time()), interrupted, time.process_time)

            return replace(_proved(schema, CLASS, known, questions, checking, late), brief=True)
    except KeyboardInterrupt:
        return replace(_unknown(schema, "interrupted", "interrupt", known), brief=True)
    except (SolverFailed, OverBudget):
        return replace(_unknown(schema, late, None, known), brief=True)


def _unknown(schema: ParsingSchema, reason: str, stopped: str | None, verdict: Any = None) -> Correctness:
    answers: dict[str, bool | None] = {claim: False if _refuted(verdict, claim) else None for claim in CLAIMS}
    reasons = {claim: reason for claim, answer in answers.items() if answer is None}
    return Correctness(reference_of(schema.definition), answers, reasons=reasons, stopped=stopped)


def _refuted(verdict: Any, claim: str) -> bool:
    return verdict is not None and getattr(verdict, claim) is False


def _proved(
    schema: ParsingSchema,
    class_name: str,
    verdict: Any,
    questions: QuickQuestions,
    checking: Callable[[], Questions],
    late: str = "",
) -> Correctness:
    """Search for proofs of the claims not refuted, have them checked, and lengthen trees that may refute the
    rest.

    `checking` makes the questions of the checker. `late` is the reason where time was too short; with it, no trees
    are looked for.
    """
    from schemata.correctness.search import find_proof

    definition = schema.definition
    answers: dict[str, bool | None] = {claim: False if _refuted(verdict, claim) else None for claim in CLAIMS}
    reasons: dict[str, str] = {}
    trees: dict[str, tuple[int, ...]] = {}
    certificate: Certificate | GapCertificate | None = None
    wanted = [claim for claim in CLAIMS if answers[claim] is None]
    try:
        found = find_proof(definition, questions, wanted, class_name)
        certificate = found.certificate
        if certificate is not None:
            # What a search claims counts only once the checker has read it from the text of the certificate.
            certificate = certificate_of(certificate.text(), "the certificate")
            judge(definition, certificate, checking())
            answers |= {claim: True for claim in wanted if getattr(certificate, claim)}
        for claim, tree in () if late else _refutations(schema, class_name, verdict, found):
            answers[claim], trees[claim] = False, tree
        reasons = {claim: str(found.reasons.get(claim, "no proof was found")) for claim in wanted}
        if found.late is not None:
            reasons = dict.fromkeys(wanted, late or str(found.late))
    except NotProved as reason:
        certificate, reasons = None, dict.fromkeys(wanted, str(reason))
    kept = {claim: reason for claim, reason in reasons.items() if answers[claim] is None}
    return Correctness(
        reference_of(definition),
        answers,
        reasons=kept,
        trees=trees,
        certificate=certificate,
        class_name=class_name,
        contradicted=_contradicted(answers, certificate),
    )


def _contradicted(
    answers: Mapping[str, bool | None], certificate: Certificate | GapCertificate | None
) -> tuple[str, ...]:
    """Return the claims that a certificate proves and that are refuted."""
    return tuple(x for x in CLAIMS if answers[x] is False and getattr(certificate, x, False))


def along_relations(found: Correctness, schema: m.Schema) -> Correctness:
    """Return answers with the claims that follow from certificates of other schemata along shipped relations."""
    try:
        checksum = checksum_of(schema, program_of(schema))
    except NotProved:
        return found
    along = sources_along_relations(found.schema, checksum, found.class_name)
    answers = {x: True if answer is None and x in along else answer for x, answer in found.answers.items()}
    wrong = {*found.contradicted, *(x for x in along if answers[x] is False)}
    return replace(
        found,
        answers=answers,
        reasons={x: reason for x, reason in found.reasons.items() if answers[x] is None},
        along=along,
        contradicted=tuple(x for x in CLAIMS if x in wrong),
    )


def _refutations(
    schema: ParsingSchema, class_name: str, verdict: Any, found: ProofOutcome
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the claims that trees longer than those tried refute, with these trees."""
    from schemata.correctness.lengthen import derivations, missed_tree, repeated_tree, tree_of_arrangement

    trees = []
    heads = tree_of_arrangement(found.arrangement)
    if heads and tree_class(class_name).contains(DependencyTree(heads)) and derivations(schema, heads) == 0:
        trees.append(("complete", heads))
    if found.cover is None:
        return trees
    if "complete" in found.reasons:
        gap = found.reasons["complete"].gap
        tree = missed_tree(schema, found.cover, gap, verdict.complete_to)
        trees += [("complete", tree)] if tree else []
    if "each_once" in found.reasons and "sound" not in found.reasons and verdict.sound is not False:
        gap = found.reasons["each_once"].gap
        tree = repeated_tree(schema, found.cover, gap, verdict.once_to)
        trees += [("each_once", tree)] if tree else []
    return trees


# Certificates ---------------------------------------------------------------------------------------------------


def read_certificate(path: str | Path) -> Certificate | GapCertificate:
    """Return the certificate in a file.

    Raises
    ------
    UsageError : the file cannot be read, or is not one that `--certificate` writes.
    """
    expected = "a file that --certificate writes"
    return certificate_of(read_file(path, UsageError, expected, REFUSALS.certificate_bytes), str(path))


def recheck(
    schema: Reference, certificate: Certificate | GapCertificate, *, budget: Budget | None = None
) -> str:
    """Return the reason why a certificate does not prove its claims about a schema; an empty text if it does.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    certificate : as `read_certificate` returns it.
    budget : limits.

    Raises
    ------
    SolverFailed : a question was not decided in time.
    """
    with interrupts_put_off() as interrupted:
        questions = Questions(Budget().unless(budget).left(time.perf_counter()), interrupted)
        return refusal(schema_of(schema).definition, certificate, questions)


def known_correctness(
    schema: m.Schema, verdict: Any = None, class_name: str | None = None
) -> Correctness | None:
    """Return the answers of certificates that are shipped, of just this schema or of others along relations.

    A schema of the same name with other rules counts as another schema. None if no certificate applies.

    Parameters
    ----------
    schema : the schema.
    verdict : by runs, on the class; a claim that it refutes is a no.
    class_name : the class of trees; None for that of the schema's own certificate.
    """
    reference = reference_of(schema)
    path, certificate = shipped_certificate(reference), None
    if path is not None:
        try:
            certificate = read_certificate(path)
            if certificate.checksum != checksum_of(schema, program_of(schema)):
                return None
        except (NotProved, UsageError):
            return None
        if class_name not in (None, certificate.class_name):
            certificate = None
    answers: dict[str, bool | None] = {
        claim: False if _refuted(verdict, claim) else getattr(certificate, claim, False) or None
        for claim in CLAIMS
    }
    found = Correctness(
        reference,
        answers,
        dict.fromkeys((claim for claim, answer in answers.items() if answer is None), NO_PROOF),
        certificate=certificate,
        shipped=True,
        class_name=class_name or (certificate.class_name if certificate else CLASS),
        contradicted=_contradicted(answers, certificate),
    )
    found = along_relations(found, schema)
    return found if certificate is not None or found.along else None
