"""One rule as the code that finds its instances when an item is taken as one of its antecedents.

The item is taken apart, then: every test whose variables are known is made; the antecedent of which most is
known is joined, by a look at the item table where all of it is known, else by a list; variables that are left
run over the ranges that the tests imply. In the slots after the item's own, the item itself does not count:
an instance is found in the last slot that its latest item fills, and only there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.engine.native.instance import emit_instance
from schemata.engine.native.knowledge import Knowledge, terms_of
from schemata.engine.native.layout import Index, Quantity
from schemata.engine.native.lines import Lines
from schemata.engine.native.numbering import Numbering
from schemata.engine.native.ranges import Limits, differences_of, limits_of
from schemata.engine.native.shape import Instance, Shape
from schemata.engine.native.terms import any_of_text, linear_text, term_text
from schemata.program.duplicates import Doubles
from schemata.program.facts import conditions_of, facts_of
from schemata.program.linear import Affine, AnyOf, Linear
from schemata.program.model import Rule

__all__ = ["Block"]

_KNOWN = 2  # columns of a partner; where more are known, lists are short and ranges not worth an index


class Block(Knowledge):
    """The code of one rule for one slot; slot -1 for rules without antecedents."""

    def __init__(self, shape: Shape, rule: Rule, slot: int, doubles: Doubles) -> None:
        super().__init__(shape.layout.program, rule)
        self.shape, self.slot, self.doubles = shape, slot, doubles
        self.missing = [k for k in range(len(rule.antecedents)) if k != slot]
        self.ids = ["0"] * len(rule.antecedents)

    # the whole

    def emit(self, fields: Sequence[str]) -> Lines:
        """Return the code; `fields` are the locals with the item's columns."""
        code = self.code
        code.line("found = 0")
        code.depth = 0
        if self.slot >= 0:
            self.ids[self.slot] = "x"
            self.take_apart(self.slot, dict(enumerate(fields)))
        self.settle()
        while self.missing or self.free_variables():
            if self.missing:
                self.join()
            else:
                self.choose()
            self.settle()
        assert not self.waiting
        assert not self.open_columns
        self.derive()
        code.depth = 0
        if not self.shape.rows:
            code.line(f"CNT[{self.rule.case}] += found")
        code.line("steps += found")
        return code

    # joins

    def join(self) -> None:
        """Look up the antecedent of which most is known."""
        known = {k: sum(self.is_bound(t) for t in self.rule.antecedents[k].terms) for k in self.missing}
        whole = [k for k in self.missing if known[k] == len(self.rule.antecedents[k].terms)]
        slot = whole[0] if whole else max(self.missing, key=lambda k: (known[k], -k))
        self.missing.remove(slot)
        if whole:
            self._look_up(slot)
        else:
            self._walk(slot)

    def _look_up(self, slot: int) -> None:
        atom = self.rule.antecedents[slot]
        kind = self.program.kinds[atom.kind]
        self.in_place(slot, self.shape.layout.numbering(atom.kind))
        texts = [self.text(t) for t in atom.terms]
        y = self.local("y")
        key = self.shape.item_place(atom.kind, texts)
        self.code.line(f"{y} = {self.shape.item_at(key)}")
        compare = "<" if slot > self.slot >= 0 else "<="
        self.test(f"{y} > 0 and {y} {compare} x")
        if kind.form in self.program.equations:
            written = " and ".join(
                [f"KI[{y}] == {atom.kind}"]
                + [f"F[{y} * {self.shape.layout.width} + {c}] == {t}" for c, t in enumerate(texts)]
            )
            self.test(f"{y} > given or ({written})")
        self.ids[slot] = y
        self.learn_kind(atom)

    def in_place(self, slot: int, numbering: Numbering) -> None:
        """Test that the known columns of a partner have a place, as far as that is not known."""
        atom = self.rule.antecedents[slot]
        for chain in numbering.chains:
            low = atom.terms[chain.columns[0]] - chain.shifts[0]
            for term in (low, *chain.rises(atom.terms)):
                self.at_least(term)
            if chain.count is not None:
                self.at_least(chain.count - 1 - (atom.terms[chain.columns[-1]] - chain.shifts[-1]))

    def in_window(self, slot: int, column: int) -> None:
        """Test that a known column of a partner lies in its window, as far as that is not known."""
        atom = self.rule.antecedents[slot]
        digit = self.shape.layout.digits[atom.kind][column]
        if digit.size is not None:
            self.within(atom.terms[column], digit.low, digit.low + digit.size - 1)

    def _walk(self, slot: int) -> None:
        """Walk through the items that fit what is known: a list, or those lists of a key that are in a range."""
        shape, atom = self.shape, self.rule.antecedents[slot]
        known = [c for c, t in enumerate(atom.terms) if self.is_bound(t) and not _is_constant(t)]
        guards, settled = self._guards(slot)
        free = [c for c in range(len(atom.terms)) if c not in known and c not in settled]
        limits = None if shape.hashed or len(known) > _KNOWN else self._limits(slot, free)
        ranged = None if limits is None else limits.column
        payload = [c for c in free if c != ranged and self._wanted(slot, c)]
        left = (t.single for c, t in enumerate(atom.terms) if c not in known and not self._wanted(slot, c))
        self.unneeded |= {name for name in left if name is not None}
        index = shape.index(Index(atom.kind, tuple(known), guards, ranged), payload)
        payload += [c for c in known if c not in index.columns]
        self.in_place(slot, shape.layout.numbering(atom.kind, index.key))
        texts = {c: self.text(atom.terms[c]) for c in known}
        k = self.local("k")
        values: dict[int, str] = {}
        if limits is not None:
            values[limits.column] = self._walk_range(index, limits, texts, k)
        else:
            if index.ranged is not None:
                self.in_window(slot, index.ranged)
            key = shape.list_number(index, texts)
            self.code.line(f"{k} = list_of(st, JK, JV, {key})" if shape.hashed else f"{k} = {key}")
            if shape.hashed:
                self.test(f"{k} >= 0")
        values |= self._walk_list(slot, index, k, payload)
        self.take_apart(slot, values)
        if limits is not None:
            self.facts.learn(limits.facts)

    def _limits(self, slot: int, columns: Sequence[int]) -> Limits | None:
        atom = self.rule.antecedents[slot]
        digits = self.shape.layout.digits[atom.kind]
        return limits_of(self.program, atom, columns, digits, self.waiting, self.names, self.facts)

    def _walk_range(self, index: Index, limits: Limits, texts: Mapping[int, str], k: str) -> str:
        """Go through the lists of a range that are not empty, number in k; returns the ranged column's local."""
        code, shape = self.code, self.shape
        at, last, place, mask, value = (self.local(x) for x in ("q", "e", "b", "w", "f"))
        low = [shape.ranged_value(index, self.text(t)) for t in limits.low]
        high = [shape.ranged_value(index, self.text(t)) for t in limits.high]
        most = f"{shape.quantity(Quantity('values', index))} - 1"
        code.line(f"{at} = max({', '.join(['0', *low])})" if low else f"{at} = 0")
        code.line(f"{last} = min({', '.join([most, *high])})" if high else f"{last} = {most}")
        words, masks = shape.quantity(Quantity("words", index)), shape.quantity(Quantity("masks", index))
        lists, count = shape.quantity(Quantity("lists", index)), shape.quantity(Quantity("values", index))
        code.line(f"{place} = {shape.place(shape.layout.numbering(index.kind, index.key), texts)}")
        code.line(f"{mask} = {masks} + {place} * {words}")
        code.line(f"{at} = later(MK, {mask}, {at}, {last})")
        code.open(f"while {at} <= {last}:")
        assert index.ranged is not None
        least = shape.layout.digits[index.kind][index.ranged].low_text
        code.line(f"{value} = {at} + {least}")
        code.line(f"{k} = {lists} + {place} * {count} + {at}")
        code.line(f"{at} = later(MK, {mask}, {at} + 1, {last})")  # here: what follows stands inside the loop
        return value

    def _walk_list(self, slot: int, index: Index, k: str, payload: Sequence[int]) -> dict[int, str]:
        """Walk through list k; returns the locals with the columns of its entries."""
        code, shape = self.code, self.shape
        p, m, y = self.local("p"), self.local("m"), self.local("y")
        entry = shape.entry(index)
        code.line(f"{m} = LH[2 * {k} + 1]")
        code.line(f"work -= {m}")
        code.line(f"{p} = LH[2 * {k}]")
        step = f" * {entry.width}, {entry.width}" if entry.width > 1 else ""
        code.open(f"for {p} in range({p}, {p} + {m}{step}):")
        record = self.local("r") if entry.record else y
        code.line(f"{record} = A[{p}]")
        if entry.record:
            code.line(f"{y} = WR[{record} * {1 + shape.layout.width}]")
        if shape.rows:
            code.open(f"if {y} > x:")
            code.line("break")
            code.close()
        if slot > self.slot >= 0 and self.rule.antecedents[slot].kind in self._kinds_of_item():
            self.test(f"{y} != x")
        self.ids[slot] = y
        values: dict[int, str] = {}
        for c in payload:
            values[c] = self.local("f")
            code.line(f"{values[c]} = {entry.column(c, p, record, shape.layout.width)}")
        return values

    def _kinds_of_item(self) -> set[int]:
        """Return the kinds that writings of the item taken may have."""
        kind = self.program.kinds[self.rule.antecedents[self.slot].kind]
        if kind.form not in self.program.equations:
            return {kind.number}
        return {k.number for k in self.program.kinds if k.form == kind.form}

    def _wanted(self, slot: int, column: int) -> bool:
        """Whether anything depends on a column's value."""
        term = self.rule.antecedents[slot].terms[column]
        name = term.single
        if name is None or name in self.names:
            return True
        others = sum(name in t.names for t in self.rule.all_terms())
        return others > 1

    def _guards(self, slot: int) -> tuple[tuple[str, ...], set[int]]:
        """Return what can be tested of a partner alone, and the columns that this settles."""
        atom = self.rule.antecedents[slot]
        first: dict[str, int] = {}
        for c, term in enumerate(atom.terms):
            name = term.single
            if name is not None and name not in self.names and name != "n" and not name.startswith("'"):
                first.setdefault(name, c)
        columns = {name: f"{{{c}}}" for name, c in first.items()}
        guards: list[str] = []
        settled: set[int] = set()
        for c, term in enumerate(atom.terms):
            own = [x for x in term.names if x != "n" and not x.startswith("'")]
            if c in first.values() or not all(x in columns for x in own):
                continue
            if not own and not _is_constant(term):
                continue
            settled.add(c)
            guards.append(f"{{{c}}} == {term_text(term, columns, self.symbols)}")
        for test in list(self.waiting):
            if not isinstance(test, Linear | AnyOf):
                continue
            names = {x for t in terms_of(test) for x in t.names if x != "n" and not x.startswith("'")}
            if names and names <= set(columns):
                self.waiting.remove(test)
                if isinstance(test, Linear):
                    guards.append(linear_text(test, columns, self.symbols))
                    self.facts.learn(differences_of([test]))
                else:
                    guards.append(any_of_text(test, columns, self.symbols))
        return tuple(sorted(guards)), settled

    # the consequent

    def derive(self) -> None:
        """Write what happens with an instance."""
        rule, code, shape = self.rule, self.code, self.shape
        atom = rule.consequent
        texts = [self.text(t) for t in atom.terms]
        ends = [self.text(t) for link in rule.links for t in link]
        repeated = tuple(k for k in range(len(self.ids)) if self._may_repeat(k))
        instance = Instance(atom.kind, len(self.ids), repeated, self.doubles.of(rule))
        words = self.doubles.words(rule, self.slot, self.ids, ends)
        if shape.calls and not shape.rows:
            shape.instances[instance] = None
            told = [] if instance.how == "never" else words
            given = ", ".join(["n", "symbols", "x", *texts, *self.ids, *told, shape.tables])
            code.line(f"new = {instance.name}({given})")
            code.open("if new < 0:")
            code.line("return -1")
            code.close()
            code.line("found += new")
            return
        emit_instance(shape, instance, texts, self.ids, [f"{words[0]} | z", *words[1:]], code)
        if shape.rows:
            width = 1 + len(self.ids) + len(ends)
            code.line(f"p = OFF[{rule.case}] + CNT[{rule.case}] * {width}")
            for k, value in enumerate(["z - 1", *(f"{y} - 1" for y in self.ids), *ends]):
                code.line(f"LOG[p + {k}] = {value}" if k else f"LOG[p] = {value}")
            code.line(f"CNT[{rule.case}] += 1")
        code.line("found += 1")

    def _may_repeat(self, slot: int) -> bool:
        """Whether the consequent may be the antecedent."""
        atom = self.rule.antecedents[slot]
        if self.program.kinds[atom.kind].form != self.program.kinds[self.rule.consequent.kind].form:
            return False
        if self.program.kinds[atom.kind].form in self.program.equations:
            return True
        if atom.kind != self.rule.consequent.kind:
            return False
        same = [Linear("==", a - b) for a, b in zip(atom.terms, self.rule.consequent.terms, strict=True)]
        if any(not t.left.terms and t.left.constant for t in same):
            return False
        known = [t for a in self.rule.antecedents for t in conditions_of(self.program.kinds, a)]
        return not facts_of([*known, *self.rule.tests, *same]).contradictory()


def _is_constant(term: Affine) -> bool:
    return all(x == "n" or x.startswith("'") for x in term.names)
