"""Random patterns, expressions and conditions of the schema language, as text, with the variables they bind."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

# Types are as written in a schema file; these are the lists, with the types of their elements.
LISTS = {
    "list of position": "position",
    "list of flag": "flag",
    "list of (position, flag)": "(position, flag)",
    "list of position?": "position?",
    "list of (position, position)": "(position, position)",
    "intervals": "(position, position)",
    "arcs": "(position, position)",
    "list of list of position": "list of position",
    "list of symbol": "symbol",
    "list of (position, flag)?": "(position, flag)?",
    "list of tree": "tree",
    "list of (position, flag, symbol)": "(position, flag, symbol)",
    "list of (position, position, position)": "(position, position, position)",
}
TUPLES = {
    "(position, flag)": ("position", "flag"),
    "(position, position)": ("position", "position"),
    "(position, symbol)": ("position", "symbol"),
    "(flag, position?)": ("flag", "position?"),
    "(position, flag, symbol)": ("position", "flag", "symbol"),
    "(position, position, position)": ("position", "position", "position"),
}
DOTS = {"dotted rule": 1, "double-dotted rule": 2}
SPANS = "list of (position, position)"
INPUTS = ("source", "target")
# Among them words that the generated kernels use for themselves.
NAMES = {
    "position": [
        "i", "j", "k", "l", "m", "p", "q", "r", "h'", "x", "y", "z", "made", "rows", "item", "range", "len",
    ],
    "flag": ["b", "c", "d", "e", "found", "x1"],
    "symbol": ["C", "D", "E", "F", "T"],
    "tree": ["X", "Y", "Z"],
    "integer": ["s", "a", "g"],
}  # fmt: skip
TREES = {  # types of terms: their constructors, with the types of the arguments
    "symbol | tree / tree | tree \\ tree": {"/": ("tree", "tree"), "\\": ("tree", "tree")},
    "leaf(symbol) | node(symbol, tree, tree) | none()": {
        "leaf": ("symbol",), "node": ("symbol", "tree", "tree"), "none": ()
    },
    "symbol | f(tree) | g(symbol, tree)": {"f": ("tree",), "g": ("symbol", "tree")},
}  # fmt: skip


def chance(rng: random.Random, percent: int) -> bool:
    """Return true in so many cases of a hundred."""
    return rng.randrange(100) < percent


@dataclass
class Scope:
    """The variables of a rule with their types, in the order bound; `symbols` and `numbers` are constants."""

    rng: random.Random
    symbols: list[str]
    numbers: list[str]
    types: dict[str, str] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    grammar: str = "d-rules"
    rules: list[tuple[str, list[str]]] = field(default_factory=list)  # category and body of those written
    trees: str = ""  # the type of terms, one of TREES
    relations: dict[str, tuple[str, ...]] = field(default_factory=dict)  # with the sorts of the arguments
    structure: str = "dependency tree"

    def of(self, kind: str) -> list[str]:
        """Return the variables of a type, in the order bound."""
        return [name for name, its in self.types.items() if its == kind]

    def pick(self, kind: str) -> str | None:
        """Return a variable of a type, or None."""
        names = self.of(kind)
        return self.rng.choice(names) if names else None

    def fresh(self, kind: str) -> str:
        """Return a new variable of a type; lists are capitals."""
        base = kind.removesuffix("?")
        pool = NAMES.get(base) or (["L", "M", "A", "B", "G", "H"] if base in LISTS else ["t", "u", "v", "w"])
        pool = [x for x in pool if x not in self.types and x not in self.taken]
        name = self.rng.choice(pool[:4] * 4 + pool) if pool else f"v{len(self.types)}"
        self.types[name] = kind
        return name

    # patterns

    def pattern(self, kind: str, adjacent: bool = False) -> str:
        """Return a pattern of a type; `adjacent` makes a position likely to be a known one or the next."""
        rng = self.rng
        if kind.endswith("?") and kind not in LISTS:
            return self._optional_pattern(kind)
        known = self.pick(kind)
        if kind in TUPLES:
            if chance(rng, 12):
                return known or self.fresh(kind)
            return f"({', '.join(self.pattern(k) for k in TUPLES[kind])})"
        if kind in LISTS:
            return self._list_pattern(kind)
        if kind in DOTS:
            return self._dotted_pattern(kind, known)
        if kind == "tree" and chance(rng, 30):
            return self._term(self.pattern)
        if chance(rng, 7):
            return "_"
        if kind == "flag":
            choice = rng.randrange(10)
            if choice < 2:
                return rng.choice(["true", "false"])
            if choice < 4:
                return f"not {known or self.fresh(kind)}"
        if kind == "symbol" and chance(rng, 10):
            return rng.choice(self.symbols)
        if kind == "position":
            return self._position_pattern(known, adjacent)
        if kind.startswith("position of") and chance(rng, 40):
            return rng.choice(
                [
                    f"{self.fresh(kind)} - 1",
                    f"n of {kind.removeprefix('position of ')}",
                    "0",
                    f"{self.fresh(kind)} + 1",
                    f"{known or 2} - 1",
                ]
            )
        if kind == "integer" and chance(rng, 20):
            return rng.choice([*self.numbers, "0", f"{self.fresh(kind)} + 1"])
        return known if known and chance(rng, 40) else self.fresh(kind)

    def _term(self, part: Callable[[str], str]) -> str:
        """Return a constructor with arguments."""
        name, kinds = self.rng.choice(list(TREES[self.trees].items()))
        arguments = [part(kind) for kind in kinds]
        if name in "/\\":
            return name.join(f"({x})" if set(x) & set("/\\+-. ") else x for x in arguments)
        return f"{name}({', '.join(arguments)})"

    def _position_pattern(self, known: str | None, adjacent: bool) -> str:
        rng = self.rng
        choice = rng.randrange(100)
        if known and adjacent and choice < 75:
            last = self.of("position")[-1]
            return last if choice < 40 else f"{last} + 1"
        if known and choice < 20:
            return known
        if known and choice < 26:
            return f"{known} {rng.choice('+-')} {rng.choice(self.numbers)}"
        if known and choice < 29:
            return f"{known} {rng.choice('+-')} {self.pick('position')}"
        if choice < 36:
            # solved for the unknown, whatever stands beside it
            other = known if known and chance(rng, 40) else rng.choice(self.numbers)
            name = self.fresh("position")
            return rng.choice([f"{name} + {other}", f"{name} - {other}", f"{other} - {name}"])
        if choice < 40:
            return rng.choice([*self.numbers, "0", "n"])
        return self.fresh("position")

    def _optional_pattern(self, kind: str) -> str:
        rng, base = self.rng, kind.removesuffix("?")
        choice = rng.randrange(10)
        if choice < 2:
            return "-"
        if choice < 7:
            known = self.pick(kind)
            name = known if known and chance(rng, 40) else self.fresh(kind)
            return f"{name}?"
        return self.pattern(base)

    def _list_pattern(self, kind: str) -> str:
        rng = self.rng
        known, element = self.pick(kind), LISTS[kind]
        choice = rng.randrange(100)
        if choice < 12:
            return known if known and chance(rng, 60) else self.fresh(kind)
        if choice < 15:
            return "_"
        shape = rng.choice(
            ["", "e", "*", "*e", "e*", "*e*", "ee", "*ee", "*e*e*", "re", "er", "*er", "_e_", "e_", "re*"]
        )
        return f"<{', '.join(self._element(s, kind, element) for s in shape)}>"

    def _dotted_pattern(self, kind: str, known: str | None) -> str:
        choice = self.rng.randrange(100)
        if choice < 20:
            return known if known and choice < 8 else self.fresh(kind)
        return "_" if choice < 24 else self._rule(DOTS[kind])

    def _rule(self, dots: int) -> str:
        """Return a rule as a pattern, with dots in it; `_` may stand for its category and symbols."""
        rng = self.rng
        choice = rng.randrange(100)
        constants = ["root", "_", *self.symbols] if dots else ["_", *self.symbols]
        known = self.pick("symbol")
        category = known if known and choice < 20 else self.fresh("symbol")
        category = rng.choice(constants) if choice > 75 else category
        signs = ["*", "*", "*", "e", "_", "* e", "e *", "e _", "_ e", "e e", ""]
        signs = signs if dots else [*signs, "e e", "* *"]
        sides = [[self._symbol(s) for s in rng.choice(signs).split()] for _ in range(dots + 1)]
        body = [symbol for side in sides for symbol in side]
        if not {"_", "*_"} & {category, *body}:
            self.rules.append((category, body))
        return f"{category}({' . '.join(' '.join(side) for side in sides)})"

    def _symbol(self, sign: str) -> str:
        rng = self.rng
        known = self.pick("symbol" if sign == "e" else "list of symbol")
        if sign == "_":
            return rng.choice(["*_", "*_", "_"])
        if sign == "*":
            return f"*{known if known and chance(rng, 25) else self.fresh('list of symbol')}"
        if self.grammar == "dependency-rules" and chance(rng, 20):
            return "^"
        if chance(rng, 12):
            return rng.choice(self.symbols)
        return known if known and chance(rng, 40) else self.fresh("symbol")

    def _element(self, sign: str, kind: str, element: str) -> str:
        match sign:
            case "*":
                known = self.pick(kind)
                return f"*{known if known and chance(self.rng, 15) else self.fresh(kind)}"
            case "_":
                return "*_"
            case "r":
                return f"*({self._shape(element)})"
        return self.pattern(element)

    def _shape(self, element: str) -> str:
        """Return the shape of a run, of constants and known variables."""
        if element == "(position, flag)":
            return f"{rng_position(self)}, {self.rng.choice(['true', 'false'])}"
        if element == "(position, position)":
            return f"{rng_position(self)}, _"
        if element == "flag":
            return self.rng.choice(["true", "false"])
        if element == "symbol":
            return self.rng.choice([*self.symbols, self.pick("symbol") or "_"])
        if element == "(position, flag)?":
            return self.rng.choice(["-", "(_, true)", "(_, _)", f"({rng_position(self)}, _)"])
        if element == "list of position":
            return f"<{self.rng.choice(['', '*_, ', '*_, _, '])}{rng_position(self)}{self.rng.choice(['', ', *_'])}>"
        return rng_position(self) if element == "position" else "_"

    # expressions

    def expression(self, kind: str, flat: bool = False) -> str:
        """Return an expression of a type; a `flat` one computes no new position."""
        rng = self.rng
        if kind.endswith("?") and kind not in LISTS:
            known = self.pick(kind)
            if known and chance(rng, 50):
                return known + ("?" if chance(rng, 20) else "")
            return "-" if chance(rng, 30) else self.expression(kind.removesuffix("?"), flat)
        known = self.pick(kind)
        if kind == "position":
            return self._sum(known, flat)
        if kind.startswith("position of"):
            number = f"{known} {rng.choice('++-')} 1" if known and not flat else "0"
            return (
                known
                if known and chance(rng, 60)
                else rng.choice([number, number, f"n of {kind.removeprefix('position of ')}"])
            )
        if kind == "integer":
            return self._integer(known, flat)
        if kind == "tree":
            return self._tree(known, flat)
        if kind == "flag":
            if known and chance(rng, 60):
                return known if chance(rng, 70) else f"not {known}"
            return rng.choice(["true", "false"]) if chance(rng, 40) else self.test(1)
        if kind in LISTS:
            return self._list(kind, known)
        if kind in DOTS and (self.rules or not known):
            return self._dotted(DOTS[kind])
        if known and chance(rng, 80):
            return known
        if kind in TUPLES:
            return f"({', '.join(self.expression(k, flat) for k in TUPLES[kind])})"
        return rng.choice(self.symbols)

    def _dotted(self, dots: int) -> str:
        """Return a rule that was written before with its dots elsewhere, or one of what is known."""
        rng = self.rng
        if self.rules and chance(rng, 85):
            category, body = rng.choice(self.rules)
        else:
            category = self.expression("symbol")
            lists = [f"*{name}" for name in self.of("list of symbol")]
            pool = [*lists, *self.of("symbol"), *self.symbols[:1]]
            body = rng.sample(pool, min(len(pool), rng.randrange(3)))
        parts = list(body)
        for _ in range(dots):
            parts.insert(rng.randrange(len(parts) + 1), ".")
        return f"{category}({' '.join(parts)})"

    def _integer(self, known: str | None, flat: bool) -> str:
        rng = self.rng
        one, two = self.pick("position"), self.pick("position")
        if known and (flat or chance(rng, 60)):
            return known
        if one and two and one != two and not flat and chance(rng, 30):
            return f"{one} - {two}"
        number = rng.choice([*self.numbers, "0"])
        return (
            f"{known} {rng.choice('+-')} {self.pick('integer') if chance(rng, 30) else number}"
            if known
            else number
        )

    def _tree(self, known: str | None, flat: bool) -> str:
        if known and (flat or chance(self.rng, 65)):
            return known
        if "symbol |" in self.trees and (flat or chance(self.rng, 60)):
            return self.pick("symbol") or self.rng.choice(self.symbols)
        known = known or ("none()" if "none" in self.trees else self.rng.choice(self.symbols))
        return self._term(lambda kind: known if kind == "tree" else self.expression("symbol", True))

    def _sum(self, known: str | None, flat: bool) -> str:
        rng = self.rng
        choice = rng.randrange(100)
        if known is None:
            return "n" if choice < 30 else rng.choice(self.numbers)
        if flat or choice < 72:
            return known
        if choice < 88:
            return f"{known} {rng.choice('+-')} {rng.choice(self.numbers)}"
        if choice < 92:
            return f"{known} + {self.pick('position')} - {self.pick('position')}"
        lists = [name for name, kind in self.types.items() if kind in LISTS]
        if lists and choice < 95:
            return f"length({rng.choice(lists)})"
        return rng.choice([*self.numbers, "n"])

    def _list(self, kind: str, known: str | None) -> str:
        rng, element = self.rng, LISTS[kind]
        if kind == "arcs":
            more = f"({self.expression('position', True)} under {self.expression('position', True)})"
            return rng.choice([known, f"{known} + {more}", f"{known} + {more}"]) if known else "<>"
        if self.grammar == "facts" and known and kind == SPANS and chance(rng, 50):
            function = self.pick("symbol")
            lists = rng.choice([[known], [known, self.pick(kind)]])
            found = function if function and chance(rng, 80) else rng.choice(['"0"', '"01"', '"0,1"'])
            return f"compose({found}, {', '.join(map(str, lists))})"
        if kind == "list of position" and chance(rng, 5):
            return f"<*[{rng.choice(self.numbers)}..{rng.choice([*self.numbers, 'n'])}]>"
        if known and chance(rng, 25):
            return known
        shape = rng.choice(
            ["", "e", "*", "*e", "*e", "e*", "*e*", "ee", "**"] if known else ["", "e", "e", "ee"]
        )
        parts = [f"*{self.pick(kind)}" if s == "*" else self.expression(element, flat=True) for s in shape]
        return f"<{', '.join(parts)}>"

    # conditions

    def test(self, depth: int = 0) -> str:
        """Return a condition on what is bound."""
        rng = self.rng
        kinds = sorted(set(self.types.values()))
        for _ in range(8):
            choice = 9 if chance(rng, 12) else rng.randrange(12)
            if choice < 4 and (of := self._kind_of_words()) != "position":
                text = f"{self.expression(of)} {rng.choice(['<', '<=', '==', '!='])} {self.expression(of)}"
                return f"({text})" if depth else text
            if choice < 4:
                text = self._comparison()
                return f"({text})" if depth else text
            if choice == 4 and (name := self.pick("flag")):
                return rng.choice([name, f"not {name}"])
            if choice == 5:
                x = self.expression("position", flat=chance(rng, 70))
                text = f"{x} {rng.choice(['in', 'not in'])} {self._region(35)}"
                return f"({text})" if depth else text
            if choice == 6 and (name := self.pick("position?")):
                return rng.choice(
                    [
                        f"{name} is absent",
                        f"{name} is present",
                        f"{name} < {self.expression('position')}",
                        f"{self.expression('position')} <= {name}",
                        f"{name} == {self.expression('position?')}",
                        f"{self.expression('position', True)} != {name}",
                    ]
                )
            if choice in (9, 10) and (dotted := [k for k in kinds if k in DOTS]):
                kind = rng.choice(dotted)
                return f"{self.pick(kind)} {rng.choice(['==', '!='])} {self.expression(kind)}"
            if choice == 5 and (name := self.pick("integer")) and chance(rng, 70):
                sign = rng.choice(["<", "<=", "==", "!=", ">"])
                return f"{name} {sign} {self.expression('integer')}"
            if choice == 10 and (name := self.pick("tree")):
                return f"{name} {rng.choice(['==', '!='])} {self.expression('tree')}"
            others = [x for x, kind in self.types.items() if kind.endswith("?") and kind not in LISTS]
            if choice == 6 and others:
                return f"{rng.choice(others)} is {rng.choice(['absent', 'present'])}"
            if choice == 7 and depth < 2 and self.types:
                word = rng.choice(["and", "or", "or"])
                text = f"{self.test(depth + 1)} {word} {self.test(depth + 1)}"
                return f"({text})" if depth or word == "and" else text
            if choice == 8 and depth < 2 and self.types:
                return f"not ({self.test(depth + 1)})"
            lists = [k for k in kinds if k in LISTS]
            if choice == 9 and lists:
                kind = rng.choice(lists)
                name = self.pick(kind)
                options = [
                    f"{name} is empty",
                    f"{name} is not empty",
                    f"length({name}) <= {rng.choice(self.numbers)}",
                    f"{name} == {self.expression(kind)}",
                    f"{self.expression(LISTS[kind], True)} in {name}",
                    f"{self.expression(LISTS[kind], True)} not in {name}",
                ]
                return rng.choice(options)
            if choice in (10, 11) and (name := self.pick("arcs")):
                one, two = self.expression("position", True), self.expression("position", True)
                no, a = rng.choice([("not ", "no"), ("", "a")])
                text = rng.choice(
                    [
                        f"{one} has {a} head in {name}",
                        f"{one} {no}connected to {two} in {name}",
                        f"{one} {no}above {two} in {name}",
                        f"{one} {no}above {two} in {name} + ({two} under {one})",
                        f"({one} under {two}) {no}in {name}",
                    ]
                )
                return f"({text})" if depth else text
            if choice == 10 and (name := self.pick("intervals")):
                return f"{name} in [{self._end()}..{self._end()}]"
            if choice == 11 and (name := self.pick("symbol")):
                return f"{name} {rng.choice(['==', '!='])} {rng.choice([*self.symbols, self.pick('symbol')])}"
        return f"{self.expression('position')} <= {self.expression('position')}"

    def _comparison(self) -> str:
        """Return a comparison of positions, of sums on both sides, a chain, or one of parameters."""
        rng = self.rng
        sign = rng.choice(["<", "<=", ">", ">=", "!=", "==", "<", "<="])
        choice = rng.randrange(100)
        one, two = self.expression("position"), self.expression("position")
        if choice < 12:
            return f"{one} <= {two} < {self.expression('position')}"
        if choice < 30:
            one, two = self._linear(), self._linear()
        elif choice < 36 and (names := [x for x in self.numbers if not x.isdigit()]):
            one, two = rng.choice(names), rng.choice("123")
        return f"{one} {sign} {two}"

    def _linear(self) -> str:
        """Return a sum or difference of two or three known positions and numbers."""
        rng = self.rng
        terms = [self.pick("position") or "n" for _ in range(rng.choice([1, 2, 2]))]
        terms.insert(rng.randrange(len(terms) + 1), rng.choice([*self.numbers, "n"]))
        text = terms[0]
        for term in terms[1:]:
            text += f" {rng.choice('+-')} {term}"
        return text

    def _region(self, percent: int) -> str:
        """Return an interval from which others may be taken away."""
        region = f"[{self.expression('position')}..{self.expression('position')}]"
        while chance(self.rng, percent):
            region += f" minus {self._taken()}"
        return region

    def _taken(self) -> str:
        known = self.pick("intervals")
        if known and chance(self.rng, 50):
            return known
        return f"[{self._end()}..{self._end()}]"

    def _end(self) -> str:
        """Return the end of an interval, possibly an absent one."""
        known = self.pick("position?")
        return known if known and chance(self.rng, 60) else self.expression("position")

    def binder(self) -> str:
        """Return a condition that binds a new variable."""
        rng = self.rng
        choice = rng.randrange(8)
        if choice < 6:
            return self.binder_of_terms()
        if choice == 6 and self.pick("position") and self.grammar != "facts":
            word = self.expression("position", flat=chance(rng, 70))
            return f"category {word} is {self.fresh('symbol')}"
        if self.grammar == "facts":
            return self.fact()
        return self.licence("licensed", 40) if self.grammar == "d-rules" else self.of_rules()

    def fact(self, negated: bool = False) -> str:
        """Return a condition on a declared relation, or on equal words; a negated one binds nothing."""
        rng = self.rng
        if not self.relations or chance(rng, 20):
            ends = [self.expression(self._kind_of_words()) for _ in range(2)]
            return f"{'not ' if negated else ''}same word {', '.join(ends)}"
        name, sorts = rng.choice(list(self.relations.items()))
        arguments = []
        for sort in sorts:
            kind = self._kind_of_words() if sort == "word" else "position" if sort == "number" else sort
            if not negated and kind == "tree" and len(sorts) == 1 and chance(rng, 60):
                arguments.append(self._term(self.pattern))
            elif negated or (self.pick(kind) and chance(rng, 30)):
                arguments.append(self.expression(kind))
            else:
                arguments.append(self.pattern(kind))
        return f"{'not ' if negated else ''}{name}({', '.join(arguments)})"

    def _kind_of_words(self) -> str:
        """Return a type of positions of words: of an input, where there are such variables."""
        return self.rng.choice(
            [kind for kind in self.types.values() if "position of" in kind] or ["position"]
        )

    def atom(self) -> str:
        """Return a condition that builds something."""
        rng = self.rng
        if self.structure == "alignment":
            return f"builds align({self.expression('position')}, {self.expression('position')})"
        if self.structure == "constituent tree":
            return self._bracket()
        if self.structure == "dependency graph" or chance(rng, 25):
            known = self.pick("symbol") or (rng.choice(self.symbols) if chance(rng, 30) else None)
            label = f" by {known}" if known and chance(rng, 50) else ""
            word = "attach" if self.grammar == "d-rules" and chance(rng, 40) else "link"
            return f"{word} {self.expression('position')} to {self.expression('position')}{label}"
        kinds = rng.choices(sorted({"position", *self.types.values()}), k=rng.choice([0, 1, 1, 2, 3]))
        return f"builds {rng.choice(['made', 'edge2', 'pair'])}({', '.join(map(self.expression, kinds))})"

    def _bracket(self) -> str:
        rng = self.rng
        category = self.pick("symbol") or rng.choice(self.symbols)
        known = self.of("position") or ["1"]
        places = sorted(rng.choices(known, k=2), key=known.index)
        if chance(rng, 25):
            places = rng.choice([["1", "n"], [places[0]] * 2, [places[0], f"{places[0]} - 1"]])
        if chance(rng, 10):
            places = [places[0], places[0], f"{places[0]} + 2", rng.choice(["n", f"{places[0]} + 2"])]
        over = f" over {rng.choice('12')}" if chance(rng, 25) else ""
        return f"builds bracket({category}, {', '.join(places)}){over}"

    def weight(self) -> str:
        """Return a condition that says what a step weighs."""
        rng = self.rng
        numbers = [name for name, kind in self.types.items() if kind == "flag" or kind.startswith("position")]
        numbers = [x for x in numbers if not self.types[x].endswith("?")] or ["n"]
        one, two = rng.choice(numbers), rng.choice([*numbers, "n"])
        texts = ["0.5", ".25e1", f"log -0.5 * ({one} - {two})", f"1 / (1 + abs({one} - {two}))"]
        texts += [
            f"exp(-({one} + {two}) / 4)",
            f"max({one}, 1, min({two}, 2)) * 2",
            "asked * 2",
            "log asked + 1",
            "1",
        ]
        return f"weight {rng.choice(texts)}"

    def of_rules(self) -> str:
        """Return a condition on a grammar of rules, which may bind what is new in it."""
        rng = self.rng
        known = self.pick("symbol")
        choice = rng.randrange(10)
        if choice < 6:
            return f"rule {self._rule(0)}"
        if choice == 6:
            return f"root {known if known and chance(rng, 60) else self.fresh('symbol')}"
        if choice < 9 and known:
            ends = [known, known if chance(rng, 20) else self.fresh("symbol")]
            rng.shuffle(ends)
            return f"corner {ends[0]} of {ends[1]}"
        word = self.expression("position", flat=chance(rng, 70))
        return f"category {word} is {known if known and chance(rng, 40) else self.fresh('symbol')}"

    def binder_of_terms(self) -> str:
        """Return a condition that binds a new variable and is not about the grammar."""
        rng = self.rng
        choice = rng.randrange(6)
        if choice < 3 and (of := self._kind_of_words()) != "position":
            return f"{self.fresh(of)} in [{self.expression(of)}..n of {of.removeprefix('position of ')}]"
        if choice < 3:
            region = self._region(30)
            return f"{self.fresh('position')} in {region}"
        if choice == 5:
            for kind in rng.sample(sorted(LISTS), len(LISTS)):
                if name := self.pick(kind):
                    return f"{self.fresh(LISTS[kind])} in {name}"
        kind = rng.choice(["position", "position", "position?", "flag", "list of position", "symbol"])
        if kind not in self.types.values():
            kind = "position"
        value = self.expression(kind, flat=kind in LISTS)
        name = self.fresh(kind)
        return f"{name} == {value}" if chance(rng, 50) else f"{value} == {name}"

    def licence(self, word: str, fresh: int) -> str:
        """Return a condition on the licences; an end is a new variable with so many percent."""
        rng = self.rng
        if word == "licensed" and self.pick("symbol") and chance(rng, 50):
            ends = [
                self.fresh("symbol") if chance(rng, fresh) else self.expression("symbol") for _ in range(2)
            ]
        else:
            ends = [
                self.fresh("position") if chance(rng, fresh) else self.expression("position")
                for _ in range(2)
            ]
        return f"{word} {ends[0]} to {ends[1]}"


def rng_position(scope: Scope) -> str:
    """Return a known position, a number or `_`."""
    known = scope.pick("position")
    return known if known and chance(scope.rng, 50) else scope.rng.choice(["_", "1"])
