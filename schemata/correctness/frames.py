"""The search for frames: layouts of the items of each kind, and plans by which all steps keep to them.

The cuts of a kind are the largest set of its columns that are always in one order. One of them may be a fencepost,
which stands one behind the node. If no such layouts fit all steps, they are extended. A link that a step builds over a
cut stays pending. A column that a step forgets is kept if a link ends at it. A segment may be left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from schemata.correctness.certificate import (
    Decomposition,
    Given,
    Hidden,
    ItemLayout,
    NotProved,
    StepPiece,
)
from schemata.correctness.checker import Checker
from schemata.correctness.questions import QuickQuestions
from schemata.correctness.steps import N, Step, steps_of, with_hidden
from schemata.correctness.words import ANY, GAP, Pattern, letters_in
from schemata.order.invariants import Samples, find_invariants, take_samples
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Kind, Program
from schemata.records import Record, replace
from schemata.thresholds import EFFORTS


class Frame(Record):
    """A program with columns that it forgets, invariants, layouts, and the plans of its steps."""

    program: Program
    hidden: tuple[Hidden, ...]
    invariants: Mapping[int, tuple[Linear, ...]]
    layouts: Mapping[int, ItemLayout]
    plans: tuple[Decomposition | None, ...]

    def checker(
        self,
        features: tuple[str, ...],
        questions: QuickQuestions,
        givens: Mapping[int, tuple[Given, ...]] | None = None,
    ) -> Checker:
        """Return a checker of these parts, with the plans worked out."""
        checker = Checker(self.program, features, self.invariants, self.layouts, questions, givens)
        checker.woven = [checker.weave(s, p) for s, p in zip(checker.steps, self.plans, strict=True)]
        return checker


class _Wish(Record):
    """A defect in the layout of a step's consequent: a missing forgotten column or pending link, or a segment
    too many.
    """

    kind: int
    step: int
    column: Affine | None = None
    pending: tuple[str, int, int] | None = None
    without: int | None = None


class _Wanting(Exception):  # noqa: N818 - an answer: the layout has to change
    def __init__(self, wish: _Wish) -> None:
        self.wish = wish


def frames_of(program: Program, questions: QuickQuestions) -> Iterator[Frame]:
    """Yield frames, beginning with those in which steps add the most letters, since they have the fewest types."""
    samples = take_samples(program)
    invariants = find_invariants(program, samples, questions.solver).by_kind
    refusals: list[str] = []
    choices = _choices(program, invariants, questions)
    frames: list[Frame] = []
    for layouts in itertools.islice(
        _assignments(program, invariants, choices, questions, refusals, False), EFFORTS.layouts
    ):
        try:
            frames.append(_frame(program, (), invariants, layouts, questions))
        except NotProved as reason:
            refusals.append(str(reason))
    if not frames:
        rows = _assignments(program, invariants, choices, questions, refusals, True)
        # Layouts that are tried in turn forget the same columns, again and again.
        remembering = cache(lambda hidden: _remembering(program, hidden, samples, questions))
        for layouts in itertools.islice(rows, 2 * EFFORTS.layouts):
            try:
                frames.append(_grown(remembering, layouts, questions))
            except NotProved as reason:
                refusals.append(str(reason))
    if not frames:
        raise NotProved(refusals[0] if refusals else "no layout of the items was found")
    rank = {id(frame): _letters(frame, questions) for frame in frames}
    yield from sorted(frames, key=lambda frame: -rank[id(frame)])


def _letters(frame: Frame, questions: QuickQuestions) -> int:
    return sum(w.letters for w in frame.checker(("end",), questions).woven if w is not None)


def _frame(
    program: Program,
    hidden: tuple[Hidden, ...],
    invariants: Mapping[int, tuple[Linear, ...]],
    layouts: Mapping[int, ItemLayout],
    questions: QuickQuestions,
) -> Frame:
    """Return a frame whose layouts have marks, and its plans."""
    checker = Checker(program, (), invariants, layouts, questions)
    marked = {kind: replace(layout, marks=_marks(checker, kind, layout)) for kind, layout in layouts.items()}
    plans = []
    for step in checker.steps:
        plan = _plan(checker, step)
        if plan is not None:
            plan = replace(plan, patterns=_patterns(step, plan, layouts[step.consequent.kind]))
        plans.append(plan)
    return Frame(program, hidden, invariants, marked, tuple(plans))


def _marks(checker: Checker, kind: int, layout: ItemLayout) -> tuple[Linear, ...]:
    """Return the tests that distinguish elements of a meaning: whether segments begin at 0, end at n + 1, and
    the like.
    """
    in_cuts = {x for term in layout.cuts for x in term.variables}
    tests = [Linear("==", layout.cuts[0]), Linear("==", layout.cuts[-1] - N - 1)]
    for column in checker.program.kinds[kind].columns:
        if column.name not in in_cuts:
            tests += [Linear("==", variable(column.name)), Linear("==", variable(column.name) - N - 1)]
    atom = checker.generic(kind)
    given = checker.program.kinds[kind].by_name(atom.terms)
    facts = checker.facts(atom)
    open_ = (
        test
        for test in tests
        if checker.questions.possible([*facts, test.substitute(given)])
        and not checker.questions.follows(facts, test.substitute(given))
    )
    return tuple(dict.fromkeys(open_))


def _choices(
    program: Program, invariants: Mapping[int, tuple[Linear, ...]], questions: QuickQuestions
) -> dict[int, list[dict[int, ItemLayout]]]:
    """Return, by form, the choices of layouts of its kinds: the most columns in one order, one perhaps a fencepost."""
    checker = Checker(program, (), invariants, {}, questions)
    made = {step.consequent.kind for step in checker.steps}
    found: dict[int, list[dict[int, ItemLayout]]] = {}
    orders = {kind: _order(checker, program.kinds[kind]) for kind in made}
    for form in sorted({program.kinds[kind].form for kind in made}):
        kinds = [kind for kind in made if program.kinds[kind].form == form]
        width = max(len(orders[kind]) for kind in kinds)
        rows = []
        for fence in (None, *range(width - 1, 0, -1)):
            row = {kind: _layout(checker, kind, orders[kind], fence, width) for kind in kinds}
            whole = {kind: layout for kind, layout in row.items() if layout is not None}
            if len(whole) == len(row):
                rows.append(whole)
        found[form] = rows
    return found


def _order(checker: Checker, kind: Kind) -> tuple[int, ...]:
    """Return the largest set of columns of a kind that are always in one order, in that order."""
    atom = checker.generic(kind.number)
    facts, terms = checker.facts(atom), atom.terms

    def at_most(x: int, y: int) -> bool:
        return checker.questions.follows(facts, Linear(">=", terms[y] - terms[x]))

    for size in range(len(terms), 0, -1):
        for chosen in itertools.combinations(range(len(terms)), size):
            below = {x: sum(at_most(y, x) for y in chosen) for x in chosen}
            order = sorted(chosen, key=lambda x: (below[x], x))
            if all(at_most(x, y) for x, y in itertools.pairwise(order)):
                return tuple(order)
    return ()


def _layout(
    checker: Checker, kind: int, order: tuple[int, ...], fence: int | None, width: int
) -> ItemLayout | None:
    """Return the layout of a kind with a column as a fencepost; None if its cuts are not in order."""
    columns = checker.program.kinds[kind].columns
    if not order:
        raise NotProved(f"items {checker.program.kinds[kind].name} have no positions in order")
    cuts = [variable(columns[k].name) for k in order]
    if fence is not None:
        place = len(order) - (width - fence)
        if place < 1:
            return None
        cuts[place] = cuts[place] - 1
        if checker.questions.follows(
            checker.facts(checker.generic(kind)), Linear(">=", variable("n"))
        ) and not _in_order(checker, kind, cuts):
            return None
    return ItemLayout(tuple(cuts), (True,) * (len(cuts) - 1))


def _in_order(checker: Checker, kind: int, cuts: Sequence[Affine]) -> bool:
    atom = checker.generic(kind)
    given = checker.program.kinds[kind].by_name(atom.terms)
    terms = [cut.substitute(given) for cut in cuts]
    facts = checker.facts(atom)
    return all(
        checker.questions.follows(facts, Linear(">=", high - low)) for low, high in itertools.pairwise(terms)
    )


def _assignments(
    program: Program,
    invariants: Mapping[int, tuple[Linear, ...]],
    choices: Mapping[int, Sequence[dict[int, ItemLayout]]],
    questions: QuickQuestions,
    refusals: list[str],
    growing: bool,
) -> Iterator[dict[int, ItemLayout]]:
    """Yield choices of layouts under which all steps have plans or, if `growing`, may have some once layouts change."""
    steps = steps_of(program)
    forms = list(choices)
    needs = [{program.kinds[a.kind].form for a in (step.consequent, *step.antecedents)} for step in steps]

    def extend(k: int, layouts: dict[int, ItemLayout]) -> Iterator[dict[int, ItemLayout]]:
        if k == len(forms):
            yield layouts
            return
        done = set(forms[: k + 1])
        for choice in choices[forms[k]]:
            more = {**layouts, **choice}
            checker = Checker(program, (), invariants, more, questions)
            try:
                for step, needed in zip(steps, needs, strict=True):
                    if forms[k] in needed and needed <= done:
                        _plan(checker, step)
            except _Wanting as wanting:
                if not growing:
                    refusals.append(f"a link of step {steps[wanting.wish.step].name} leads over a cut")
                    continue
            except NotProved as reason:
                refusals.append(str(reason))
                continue
            yield from extend(k + 1, more)

    return extend(0, {})


def _grown(
    remembering: Callable[[tuple[Hidden, ...]], tuple[Program, Mapping[int, tuple[Linear, ...]]]],
    layouts: Mapping[int, ItemLayout],
    questions: QuickQuestions,
) -> Frame:
    """Return a frame whose layouts have all that the plans of steps lacked: forgotten columns, pending links, fewer
    segments.
    """
    hidden: tuple[Hidden, ...] = ()
    current = dict(layouts)
    for _ in range(EFFORTS.layout_rounds):
        kept, invariants = remembering(hidden)
        checker = Checker(kept, (), invariants, current, questions)
        wishes = []
        refused: NotProved | None = None
        for step in checker.steps:
            try:
                _plan(checker, step)
            except _Wanting as wanting:
                wishes.append(wanting.wish)
            except NotProved as reason:
                refused = reason
        if not wishes:
            if refused is not None:
                raise refused
            return _frame(kept, hidden, invariants, current, questions)
        columns = [wish for wish in wishes if wish.column is not None]
        for wish in wishes:
            layout = current[wish.kind]
            if wish.without is not None:
                owned = tuple(own and k != wish.without for k, own in enumerate(layout.owned))
                current[wish.kind] = replace(layout, owned=owned)
            elif wish.pending is not None and wish.pending not in layout.pending:
                current[wish.kind] = replace(layout, pending=(*layout.pending, wish.pending))
        if columns and all(wish.column is not None for wish in wishes):
            kind = columns[0].kind
            name = f"{len(kept.kinds[kind].columns)}"
            terms = tuple(
                (wish.step, wish.column) for wish in columns if wish.kind == kind and wish.column is not None
            )
            hidden = (*hidden, Hidden(kind, name, terms))
            kept, more = remembering(hidden)
            wide = Checker(kept, (), more, current, questions)
            current[kind] = _with_cut(wide, kind, current[kind], variable(name))
    raise NotProved("the layouts of the items keep changing")


def _remembering(
    program: Program, hidden: tuple[Hidden, ...], samples: Samples, questions: QuickQuestions
) -> tuple[Program, Mapping[int, tuple[Linear, ...]]]:
    """Return the program with its forgotten (hidden) columns kept, and the invariants of that program."""
    kept = with_hidden(program, hidden)
    guesses = {one.kind: _guesses(kept.kinds[one.kind]) for one in hidden}
    return kept, find_invariants(kept, samples, questions.solver, guesses).by_kind


def _guesses(kind: Kind) -> list[Linear]:
    """Return tests that may hold of every item of a kind, its forgotten column included."""
    terms = [variable(column.name) for column in kind.columns]
    found = [Linear(">=", end - c) for x in terms for end in (x, N - x) for c in (0, 1, -1)]
    pairs = itertools.permutations(terms, 2)
    return [*found, *(Linear(">=", y - x - c) for x, y in pairs for c in (0, 1))]


def _with_cut(checker: Checker, kind: int, layout: ItemLayout, cut: Affine) -> ItemLayout:
    """Return a layout with a cut more, in the segment where it always is."""
    for place in range(1, len(layout.cuts)):
        cuts = (*layout.cuts[:place], cut, *layout.cuts[place:])
        if layout.owned[place - 1] and _in_order(checker, kind, cuts):
            owned = (*layout.owned[:place], True, *layout.owned[place:])
            pending = tuple(
                (sign, low + (low >= place), high + (high >= place)) for sign, low, high in layout.pending
            )
            return ItemLayout(cuts, owned, pending)
    raise NotProved(
        f"a forgotten position of {checker.program.kinds[kind].name} lies nowhere between its cuts"
    )


def _plan(checker: Checker, step: Step) -> Decomposition | None:
    """Return the plan of a step, None if it never applies.

    Raises
    ------
    NotProved : there is no plan.
    _Wanting : there may be a plan if the layout of the consequent changes.
    """
    premises = checker.premises(step)
    if not checker.questions.possible(premises):
        return None

    def same(one: Affine, other: Affine) -> bool:
        return one == other or checker.questions.follows(premises, Linear("==", one - other))

    layout, cuts = checker.layouts[step.consequent.kind], checker.cuts(step.consequent)
    ends: dict[tuple[int, int], tuple[Affine, Affine]] = {}
    for k, atom in enumerate(step.antecedents):
        own = checker.cuts(atom)
        for s in checker.layouts[atom.kind].segments:
            ends[k, s] = own[s], own[s + 1]

    stuck: list[int] = []

    def tile(at: Affine, left: tuple[tuple[int, int], ...], done: int) -> Iterator[list[StepPiece]]:
        """Yield pieces from a position on; `done` cuts of the consequent are at or before it."""
        while done < len(cuts) and same(cuts[done], at):
            done += 1
        if not left and done == len(cuts):
            yield []
            return
        placed = False
        for key in left:
            if same(ends[key][0], at):
                placed = True
                empty = same(*ends[key])
                rest = tuple(x for x in left if x != key)
                for more in tile(ends[key][1], rest, done):
                    yield [StepPiece(*key, empty), *more]
        after = at + 1
        starts = [ends[key][0] for key in left]
        if any(same(x, after) for x in starts) or (done < len(cuts) and same(cuts[done], after)):
            placed = True
            for more in tile(after, left, done):
                yield [StepPiece(), *more]
        if 0 < done < len(cuts):
            if not layout.owned[done - 1]:
                for more in tile(cuts[done], left, done):
                    yield [StepPiece(empty=True), *more]
            elif not placed and same(cuts[done - 1], at):
                stuck.append(done - 1)

    for pieces in itertools.islice(tile(cuts[0], tuple(ends), 0), 1):
        return _linked(checker, step, pieces, ends, same)
    if stuck:
        raise _Wanting(_Wish(step.consequent.kind, step.number, without=stuck[0]))
    raise NotProved(f"the pieces of step {step.name} do not stand side by side")


def _linked(
    checker: Checker, step: Step, pieces: list[StepPiece], ends: object, same: object
) -> Decomposition:
    """Return the plan with some pieces, with its cuts and links."""
    assert callable(same)
    assert isinstance(ends, dict)
    layout, cuts = checker.layouts[step.consequent.kind], checker.cuts(step.consequent)
    bounds = [cuts[0]]
    skipped = (cuts[k + 1] for k, own in enumerate(layout.owned) if not own)
    for piece in pieces:
        if piece.antecedent is not None:
            bounds.append(ends[piece.antecedent, piece.segment][1])
        else:
            bounds.append(next(skipped) if piece.empty else bounds[-1] + 1)
    at: list[int] = []
    for k, cut in enumerate(cuts):
        least = at[-1] if at else 0
        if k and not layout.owned[k - 1]:
            least += 1
        place = next((x for x in range(least, len(bounds)) if same(bounds[x], cut)), None)
        if k == len(cuts) - 1:
            place = len(bounds) - 1
        if place is None:
            raise NotProved(f"a cut of step {step.name} lies within a piece")
        at.append(place)
    at[0] = 0
    wanted: list[tuple[str, Affine, Affine]] = []
    premises = checker.premises(step)
    for dependent, head in step.links:
        if checker.questions.follows(premises, Linear(">=", dependent - head - 1)):
            wanted.append(("(", head, dependent))
        elif checker.questions.follows(premises, Linear(">=", head - dependent - 1)):
            wanted.append(("[", dependent, head))
        else:
            raise NotProved(f"a link of step {step.name} may lead to the left or to the right")
    for atom in step.antecedents:
        own = checker.cuts(atom)
        wanted += [(sign, own[x], own[y]) for sign, x, y in checker.layouts[atom.kind].pending]
    links = []
    pending = list(layout.pending)
    for sign, low, high in wanted:
        known = next(
            (x for x in pending if x[0] == sign and same(cuts[x[1]], low) and same(cuts[x[2]], high)), None
        )
        if known is not None:
            pending.remove(known)
            links.append((sign, at[known[1]], at[known[2]]))
            continue
        lows = [x for x, bound in enumerate(bounds) if same(bound, low)]
        highs = [x for x, bound in enumerate(bounds) if same(bound, high)]
        if not lows or not highs:
            raise NotProved(f"a link of step {step.name} ends at no cut")
        links.append((sign, lows[-1], highs[0]))
        over = any(lows[-1] < x < highs[0] for x in at) or any(
            pieces[x].antecedent is None and pieces[x].empty for x in range(lows[-1], highs[0])
        )
        if over:
            places = [next((k for k, x in enumerate(at) if x in row), None) for row in (lows, highs)]
            if places[0] is None or places[1] is None:
                open_ = low if places[0] is None else high
                raise _Wanting(_Wish(step.consequent.kind, step.number, column=open_))
            raise _Wanting(_Wish(step.consequent.kind, step.number, pending=(sign, places[0], places[1])))
    return Decomposition(tuple(pieces), tuple(at), tuple(links))


def _patterns(step: Step, plan: Decomposition, layout: ItemLayout) -> tuple[Pattern, ...]:
    """Return the patterns of a plan, for each word of the consequent.

    Raises
    ------
    NotProved : links cross, two join the same boundaries, or one leads over a cut and is not pending.
    """
    inner = list(plan.links)
    for sign, low, high in layout.pending:
        link = sign, plan.cuts[low], plan.cuts[high]
        if link not in inner:
            raise NotProved(f"step {step.name} does not make a pending link")
        inner.remove(link)
    for _, low, high in inner:
        if any(low < at < high for at in plan.cuts):
            raise NotProved(f"a link of step {step.name} leads over a cut")
    for (_, a, b), (_, x, y) in itertools.combinations(inner, 2):
        if a < x < b < y or x < a < y < b or (a, b) == (x, y):
            raise NotProved(f"links of step {step.name} cross")

    def build(low: int, high: int, links: list[tuple[str, int, int]]) -> Pattern:
        parts: list[str | tuple[str, Pattern]] = []
        at = low
        while at < high:
            widest = max((x for x in links if x[1] == at), key=lambda x: x[2], default=None)
            if widest is not None:
                inside = [x for x in links if x is not widest]
                parts.append((widest[0], build(at, widest[2], [x for x in inside if x[2] <= widest[2]])))
                links = [x for x in inside if x[1] >= widest[2]]
                at = widest[2]
                continue
            piece = plan.pieces[at]
            if piece.antecedent is None:
                parts.append(GAP)
            elif not piece.empty:
                parts.append(ANY)
            at += 1
        return tuple(parts)

    patterns = tuple(
        build(
            plan.cuts[k],
            plan.cuts[k + 1],
            [x for x in inner if plan.cuts[k] <= x[1] < x[2] <= plan.cuts[k + 1]],
        )
        for k in layout.segments
    )
    if sum(letters_in(p) for p in patterns) != len(inner) + sum(
        piece.antecedent is None and not piece.empty for piece in plan.pieces
    ):
        raise NotProved(f"a link of step {step.name} lies in no word")
    return patterns
