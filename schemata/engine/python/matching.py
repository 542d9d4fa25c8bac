"""Matching of values against patterns, written as Python: the part of a kernel that takes items apart.

A `Matcher` knows which variables are bound. What cannot be decided yet (`j + 1` with j unknown) waits in
`pending` and is settled as soon as the variables are there: arithmetic is solved in either direction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemata.engine.python.bindings import Bindings
from schemata.engine.python.expressions import operand
from schemata.engine.python.label_expressions import is_open
from schemata.engine.python.label_matching import match_labels
from schemata.engine.python.shape_tests import has_runs, shape_test
from schemata.language import model as m
from schemata.language.cases import unknowns
from schemata.language.typeset import linear_text

__all__ = ["Matcher"]


@dataclass(slots=True)
class Matcher(Bindings):
    """The bindings of one generated block, which items are matched under.

    `pending` are the values, patterns and types that wait; `splits` counts enumerations whose choices one instance
    may share with another.
    """

    pending: list[tuple[str, m.Term, m.Type]] = field(default_factory=list)
    splits: int = 0

    def match(self, value: str, term: m.Term, kind: m.Type) -> None:
        """Match the value of an expression against a pattern; binds, tests, or lets it wait."""
        optional = kind.kind == "optional"
        match term:
            case m.Any():
                return
            case m.Var(name) if name != "n" and name not in self.bound:
                if optional and self.types[name].kind != "optional":
                    self.code.test(f"{value} is not None")
                self.bind(name, value)
            case m.Lit(None):
                self.code.test(f"{value} is None")
            case m.Lit(True):
                self.code.test(value)
            case m.Lit(False):
                self.code.test(f"{value} is False" if optional else f"not {value}")
            case m.Not(m.Var(name)) if name not in self.bound:
                if optional:
                    self.code.test(f"{value} is not None")
                self.bind(name, f"not {value}")
            case m.Not(m.Var() as flag):
                if optional:
                    self.code.test(f"{value} is not None")
                self.code.test(f"{value} != {self.text(flag)}")
            case m.TupleTerm(terms):
                if optional:
                    self.code.test(f"{value} is not None")
                self._match_tuple(value, terms, kind)
            case m.ListTerm((m.Run(shape),)) if unknowns(shape, self.bound):
                self.pending.append((value, term, kind))
            case m.ListTerm(elements) if not self.is_bound(term) or has_runs(elements):
                self._match_list(value, elements, kind.arguments[0])
            case m.Labels() if is_open(term.parts) or not self.is_bound(term):
                if optional:
                    self.code.test(f"{value} is not None")
                match_labels(self, value, term)
            case m.Linear() if not self.is_bound(term):
                if optional:
                    self.code.test(f"{value} is not None")
                if not self._solve(value, term):
                    self.pending.append((value, term, kind))
            case m.Length() if not self.is_bound(term):
                self.pending.append((value, term, kind))
            case _:
                self.code.test(f"{value} == {operand(self.text(term))}")

    def settle(self) -> None:
        """Settle what waits and can be settled by now."""
        while True:
            ready = next((p for p in self.pending if self._settles(p[1])), None)
            if ready is None:
                return
            self.pending.remove(ready)
            value, term, kind = ready
            self.match(value, term, kind)

    def _settles(self, term: m.Term) -> bool:
        return self.is_bound(term) or (isinstance(term, m.Linear) and self.is_solvable(term))

    def is_solvable(self, term: m.Linear) -> bool:
        """Whether a linear term has one unbound variable, and can be solved for it."""
        return self._unknown(term) is not None

    def _unknown(self, term: m.Linear) -> tuple[m.Var, int] | None:
        """Return the one unbound variable of a linear term with its sign, None where it cannot be solved for."""
        free = [(atom, k) for atom, k in term.atoms if atom.name not in self.bound and atom.name != "n"]
        match free:
            case [(m.Var() as variable, (1 | -1) as sign)]:
                return variable, sign
        return None

    def _solve(self, value: str, term: m.Linear) -> bool:
        """Bind the one unbound variable of a linear term from its value."""
        unknown = self._unknown(term)
        if unknown is None:
            return False
        atom, coefficient = unknown
        rest = [(self.text(other), -coefficient * k) for other, k in term.atoms if other != atom]
        solution = linear_text(-coefficient * term.constant, [(operand(value), coefficient), *rest])
        self.bind(atom.name, solution)
        return True

    def _match_tuple(self, value: str, terms: tuple[m.Term, ...], kind: m.Type) -> None:
        for position, (term, inner) in enumerate(zip(terms, kind.parts, strict=True)):
            self.match(f"{value}[{position}]", term, inner)

    def _match_list(self, value: str, elements: tuple[m.Term, ...], kind: m.Type) -> None:
        stars = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
        fixed = len(elements) - len(stars)
        if not stars:
            self.code.test(f"len({value}) == {fixed}")
            for k, element in enumerate(elements):
                self.match(f"{value}[{k}]", element, kind)
            return
        if fixed:
            self.code.test(f"len({value}) >= {fixed}")
        if not value.isidentifier():
            local = self.fresh("list")
            self.code.line(f"{local} = {value}")
            value = local
        first, last = stars[0], stars[-1]
        suffix = len(elements) - 1 - last
        for k in range(first):
            self.match(f"{value}[{k}]", elements[k], kind)
        for k in range(suffix):
            self.match(f"{value}[{-(suffix - k)}]", elements[last + 1 + k], kind)
        self._match_stars(value, elements, stars, suffix, kind)

    def _match_stars(
        self, value: str, elements: tuple[m.Term, ...], stars: list[int], suffix: int, kind: m.Type
    ) -> None:
        """Match the stretch from the first star to the last: one loop over cut points for each star but the last."""
        begin = str(stars[0])
        end = f"len({value}) - {suffix}" if suffix else f"len({value})"
        remaining = sum(1 for k in range(stars[0], stars[-1]) if k not in stars)
        if len(stars) > 1:
            self.splits += 1
        walked = False
        for index, star in enumerate(stars[:-1]):
            segment = range(star + 1, stars[index + 1])
            cut = self.fresh("cut")
            stop = _minus(end, remaining - 1)
            start = begin
            final_run = elements[stars[-1]]
            if (
                index == len(stars) - 2
                and isinstance(final_run, m.Run)
                and not isinstance(final_run.shape, m.Any)
                and self.is_bound(final_run.shape)
            ):
                start = self._run_start(value, final_run, begin, end, len(segment), kind)
                walked = True
            self.code.open(f"for {cut} in range({start}, {stop}):")
            self._take(value, elements[star], begin, cut, kind)
            for offset, k in enumerate(segment):
                self.match(f"{value}[{cut}{f' + {offset}' if offset else ''}]", elements[k], kind)
            remaining -= len(segment)
            begin = f"{cut} + {len(segment)}" if segment else cut
        if not walked:
            self._take(value, elements[stars[-1]], begin, end, kind)

    def _run_start(self, value: str, run: m.Run, begin: str, end: str, segment: int, kind: m.Type) -> str:
        """Walk back over the elements that fit a closing run; cuts before the longest run cannot match."""
        start = self.fresh("run")
        fits = shape_test(self, f"{value}[{start} - 1]", run.shape, kind)
        self.code.line(f"{start} = {end}")
        self.code.open(f"while {start} > {begin} and {fits}:")
        self.code.line(f"{start} -= 1")
        self.code.depth -= 1
        self.code.line(f"{start} = max({begin}, {start} - {segment})")
        return start

    def _take(self, value: str, star: m.Term, begin: str, end: str, kind: m.Type) -> None:
        """Bind or test the elements from begin up to end."""
        whole = begin == "0" and end == f"len({value})"
        upper = "" if end == f"len({value})" else end.removeprefix(f"len({value}) ").replace("- ", "-")
        part = value if whole else f"{value}[{'' if begin == '0' else begin}:{upper}]"
        match star:
            case m.Splice(name) if name in self.bound:
                self.code.test(f"{part} == {self.names[name]}")
            case m.Splice(name):
                self.bind(name, part)
            case m.Run(m.Any()):
                return
            case m.Run(shape) if unknowns(shape, self.bound):
                self.pending.append((part, m.ListTerm((star,)), m.Type("list", (kind,))))
            case m.Run(shape):
                self.code.test(f"all({shape_test(self, '_e', shape, kind)} for _e in {part})")


def _minus(text: str, amount: int) -> str:
    if amount == 0:
        return text
    return f"{text} - {amount}" if amount > 0 else f"{text} + {-amount}"
