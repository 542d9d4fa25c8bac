"""Writes random schemata: forms, normal forms, steps, families of steps and final items."""

import random
import re
from dataclasses import replace

from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema
from schemata.records import replace as replaced
from tests.random_schemata.drafts import Clause, Draft, FormDraft, Rule, Step
from tests.random_schemata.terms import DOTS, INPUTS, LISTS, SPANS, TREES, TUPLES, Scope, chance

TRIES = 8  # for a rule without contradictions

FIELDS = [
    "position", "position", "arcs", "flag", "position?", "list of position", "list of (position, flag)",
    "intervals", "symbol", "(position, flag)", "list of position?", "flag?", "symbol?", "list of flag",
    "list of list of position", "list of (position, position)", "list of symbol", "(position, symbol)",
    "(position, flag)?", "(flag, position?)", "list of (position, flag)?", "(position, flag, symbol)",
    "list of (position, flag, symbol)", "list of (position, position, position)",
]  # fmt: skip
RULE_FIELDS = ["dotted rule"] * 5 + ["double-dotted rule"] * 2 + ["symbol"] * 3 + ["list of symbol"]
FACT_FIELDS = ["symbol", "tree", "integer"] * 3 + ["list of tree", "list of symbol", "tree?", SPANS, SPANS]
SORTS = ["word", "word", "number", "symbol", "symbol", "tree", "tree", "list of symbol"]
GRAMMARS = ["d-rules"] * 3 + ["dependency-rules", "context-free", "facts", "facts"]
# A variable in a condition; what an abbreviation does not stand for, or what has names that are no variables.
VARIABLE = re.compile(
    r"\b(?!(?:in|not|and|or|minus|is|absent|present|empty|attach|link|licensed|to|by|under|in|connected|above|same|word"
    r"|true|false)\b)[^\W\d]\w*'*(?!\w*'*\()"
)
LONG = re.compile(r"[\"*?<]|\b(?:rule|head|builds|weight|of|has|root|category)\b")
NAMES = {"position": "ijkhm", "flag": "bcd", "position?": "lrg", "symbol": "CDE"}


def random_draft(rng: random.Random, grammar: str | None = None) -> Draft:
    """Return a random schema, over a kind of grammar if one is named; most are valid, end, and derive something."""
    if grammar is None and chance(rng, 14):
        return rng.choice([_family, _family, random_images, lambda rng: random_parts(rng)[0]])(rng)
    grammar = grammar or rng.choice(GRAMMARS)
    draft = _yields(rng) if grammar == "facts" and chance(rng, 12) else _Writer(rng, grammar).draft()
    return abbreviated(rng, draft) if chance(rng, 10) else draft


def abbreviated(rng: random.Random, draft: Draft) -> Draft:
    """Return a schema in which abbreviations stand for some conditions of its steps."""
    free = {"n", *(name for name, _ in draft.parameters)}
    defined: list[str] = []

    def short(condition: str) -> str:
        names = [x for x in dict.fromkeys(VARIABLE.findall(condition)) if x not in free]
        if not names or LONG.search(condition) or not chance(rng, 60):
            return condition
        formal = {name: f"f{k}" for k, name in enumerate(names)}
        meaning = VARIABLE.sub(lambda found: formal.get(found[0], found[0]), condition)
        name = f"short{len(draft.declared) + len(defined)}"
        defined.append(f"define {name}({', '.join(formal.values())}) = {meaning}")
        return f"{name}({', '.join(names)})"

    steps = [
        Step(step.name, tuple(replace(r, conditions=tuple(map(short, r.conditions))) for r in step.rules))
        for step in draft.steps
    ]
    return replace(draft, steps=tuple(steps), declared=(*draft.declared, *defined))


def random_images(rng: random.Random) -> Draft:
    """Return a schema with a mirror image of each step, called `Step image`; the forms are their own images."""
    writer = _Writer(rng, "d-rules")
    writer.low, writer.high, writer.structure = "1", "n", "dependency tree"
    writer.symbols = ['"u"', '"v"']  # categories of no word: those of words have numbers
    pair = (("i", "position"), ("j", "position"))
    forms = [
        FormDraft("span", pair, (f"1 <= i {rng.choice(['<', '<=', '<='])} j <= n",)),
        FormDraft("half", (*pair, ("b", "flag")), ("1 <= i <= j <= n",)),
        FormDraft(
            "mark", (("i", "position"), ("l", "position?")), ("1 <= i <= n", "l is absent or 1 <= l <= n")
        ),
    ]
    word = FormDraft("word", (("i", "position"),))
    first = Step("Init", (Rule(("word[i]",), "half[i, i, true]"),))
    found = [
        writer.step(f"Step {k}", [word, *forms], rng.choice(forms), rng.choice([1, 1, 2])) for k in range(3)
    ]
    steps = [first, *(step for step in found if step.rules)]
    forms, steps = _derivable(forms, steps, set())
    turned = {
        "span": "[i, j] = span[j, i]",
        "half": "[i, j, b] = half[j, i, b]",
        "mark": "[i, l] = mark[i, l]",
    }
    images = [f"mirror {form.name}{turned[form.name]}" for form in forms]
    images += [f"mirror step {step.name} as {step.name} image" for step in steps]
    given, finals = (Clause("word[i]", ("1 <= i <= n",)),), tuple(Clause(form.text("_")) for form in forms)
    parameters = tuple(writer.parameters)
    return Draft("random", parameters, given, tuple(forms), (), tuple(steps), finals, more=tuple(images))


def random_parts(rng: random.Random) -> tuple[Draft, Draft]:
    """Return a schema with a step composed of two parts, and one in which they are steps one after the other."""
    writer = _Writer(rng, "d-rules")
    writer.structure = "dependency tree"
    form, word = writer.form("span"), FormDraft("word", (("i", "position"),))
    first = writer.rule([word], form, hard=False)
    parts = [writer.rule([form], form, hard=chance(rng, 60)) for _ in range(2)]
    one, other = (p or Rule((form.text("_"),), form.text("1")) for p in parts)
    one, other = (
        replace(
            p, conditions=tuple(c for c in p.conditions if "head" not in c and not c.startswith("weight"))
        )
        for p in (one, other)
    )
    one, other = (replace(p, antecedents=(p.antecedents[0].removeprefix("given "),)) for p in (one, other))
    tests = [c for c in one.conditions if not c.startswith(("attach", "link")) and chance(rng, 50)]
    part = replace(one, conditions=tuple(c for c in one.conditions if c not in tests))
    restricted = f"One | {', '.join(tests)}" if tests else "One"
    composed = (
        f"part One\n{part.text}",
        f"part Other\n{other.text}",
        f"step Both\n  composed of {restricted}; Other",
    )
    middle = replace(form, name="middle")
    to_middle = replace(one, consequent=one.consequent.replace("span[", "middle[", 1))
    from_middle = replace(other, antecedents=(other.antecedents[0].replace("span[", "middle[", 1),))
    start = [Step("Init", () if first is None else (first,))]
    apart = [*start, Step("One", (to_middle,)), Step("Other", (from_middle,))]
    given, final = (Clause("word[i]", (f"{writer.low} <= i <= {writer.high}",)),), (Clause(form.text("_")),)
    draft = Draft("random", tuple(writer.parameters), given, (form,), (), tuple(start), final, more=composed)
    return draft, replace(draft, forms=(form, middle), steps=tuple(apart), more=())


class _Writer:
    """Writes one schema; everything is drawn from one source of randomness."""

    def __init__(self, rng: random.Random, grammar: str) -> None:
        self.rng = rng
        self.grammar = grammar
        self.parameters = [("w", rng.randrange(1, 4))] if chance(rng, 25) else []
        self.numbers = ["1", "1", "1", "2", *(name for name, _ in self.parameters)]
        self.symbols = rng.choice([['"w1"', '"w2"'], ['"A"', '"B"'], ['"w1"', '"it\'s"']])
        self.fields = FIELDS
        if grammar != "d-rules":
            self.fields = FIELDS[:6] + RULE_FIELDS
            self.symbols = ['"A"', '"a"'] if grammar == "context-free" else ['"A"', '"B"']
        self.structure = "dependency tree"
        if grammar in ("d-rules", "facts") and chance(rng, 40 if grammar == "facts" else 20):
            self.structure = rng.choice(
                ["dependency graph", "alignment", "constituent tree", "constituent tree"]
            )
        elif grammar == "context-free" and chance(rng, 25):
            self.structure = "constituent tree"
        elif grammar == "facts" or chance(rng, 6):
            self.structure = "set"
        self.trees = ""
        self.relations: dict[str, tuple[str, ...]] = {}
        several = grammar == "facts" and chance(rng, 25) and self.structure == "set"
        self.inputs = INPUTS if several else ()
        if grammar == "facts":
            self.trees = rng.choice([*TREES])
            self.fields = FIELDS[:5] + FACT_FIELDS
            self.symbols = ['"A"', '"B"']
            for name in ("lexical", "above2", "rest")[: rng.choice([0, 1, 2, 3])]:
                self.relations[name] = tuple(rng.choices(SORTS, k=rng.choice([1, 2, 2, 3])))
        self.low = rng.choice(["0", "1", "1"])
        self.high = rng.choice(["n", "n", "n + 1"])
        self.endless = chance(rng, 2)

    def draft(self) -> Draft:
        rng = self.rng
        count = rng.choice([1, 1, 2, 2, 3])
        forms = [self.form(f"{name}") for name in rng.sample(["span", "tree", "item", "edge", "gap"], count)]
        equations: tuple[Clause, ...] = ()
        if chance(rng, 25) and not self.inputs:
            forms[0], equations = self.normal_form(forms[0].name)
        word = FormDraft("word", (("i", "position"),))
        hypotheses = [Clause("word[i]", (f"{self.low} <= i <= {self.high}",))]
        if chance(rng, 12) and not self.inputs:
            hypotheses.append(self.given_item(forms[0]))
        first = self.rule([word] * rng.choice([1, 1, 2]), forms[0], hard=False)
        steps = [Step("Init", () if first is None else (first,))]
        for form in forms[1:]:
            steps.append(self.step(f"To {form.name}", [word, *forms], form, rng.choice([1, 1, 2])))
        for k in range(rng.choice([1, 1, 2, 2, 3])):
            steps.append(
                self.step(
                    f"Step {k + 1}",
                    [word, *forms, *forms],
                    rng.choice(forms),
                    rng.choice([0, 1, 1, 2, 2, 2, 3]),
                )
            )
        forms, steps = _derivable(forms, steps, {h.text.partition("[")[0] for h in hypotheses})
        equations = equations if any(e.text.startswith(f.name) for f in forms for e in equations) else ()
        draft = Draft(
            "random",
            tuple(self.parameters),
            tuple(hypotheses),
            tuple(forms),
            equations,
            tuple(steps),
            (),
            self.grammar,
            self.declared,
        )
        for _ in range(TRIES):
            finals = [self.final(rng.choice(forms)) for _ in range(rng.choice([1, 1, 2]))] if forms else []
            draft = replace(draft, finals=tuple(finals))
            if read_schema_text(draft.text)[0] is not None:
                break
        return draft

    @property
    def structured(self) -> bool:
        """Whether derivations build something else than trees of links."""
        return self.structure != "dependency tree"

    @property
    def declared(self) -> tuple[str, ...]:
        """The structure, the type of terms and the relations."""
        found = [f"  structure {self.structure}"] if self.structured else []
        found += [f"type tree = {self.trees}"] if self.trees else []
        found += [f"input {', '.join(self.inputs)}"] if self.inputs else []
        for name, sorts in self.relations.items():
            found.append(
                f"relation {name}({', '.join(f'{x}: {s}' for x, s in zip('xyz', sorts, strict=False))})"
            )
        return tuple(found)

    # items

    def form(self, name: str) -> FormDraft:
        rng = self.rng
        kinds = ["position"] * rng.choice([1, 2, 2, 2, 3])
        if self.inputs:
            kinds = [f"position of {rng.choice(self.inputs)}" for _ in kinds]
        kinds += [rng.choice(self.fields) for _ in range(rng.choice([0, 1, 1, 2]))]
        fields = self._named(kinds)
        return FormDraft(name, fields, tuple(self.where(fields)))

    def _named(self, kinds: list[str]) -> tuple[tuple[str, str], ...]:
        used: list[str] = []
        for kind in kinds:
            pool = NAMES.get(kind) or ("LMABG" if kind in LISTS else "tuvs")
            used.append(next(x for x in [*pool, *"abcdefxyz"] if x not in used))
        return tuple(zip(used, kinds, strict=True))

    def where(self, fields: tuple[tuple[str, str], ...]) -> list[str]:
        """Return bounds on all that could grow, and perhaps more."""
        rng = self.rng
        places = [name for name, kind in fields if kind == "position"]
        found: list[str] = []
        if len(places) >= 2 and chance(rng, 75):
            order = " ".join(f"{rng.choice(['<=', '<=', '<'])} {p}" for p in places[:2])
            found.append(f"{self.low} {order} <= {self.high}")
            places = places[2:]
        found += [f"{self.low} <= {p} <= {self.high}" for p in places]
        if self.endless and found:
            found.pop()
        for name, kind in fields:
            if kind == "position?":
                inner = next((x for x, kind in reversed(fields) if kind == "position"), "n")
                found.append(
                    rng.choice(
                        [
                            f"{name} is absent or {self.low} <= {name} <= {self.high}",
                            f"{self.low} < {name} < {inner} or {name} is absent",
                            f"not ({name} > {self.high}) and not ({name} < 0)",
                        ]
                    )
                )
            elif kind == "intervals":
                found.append(f"{name} in [{self.low}..{self.high}]")
                if chance(rng, 70):
                    found.append(f"length({name}) <= {rng.choice([1, 2])}")
            elif kind == "integer" and chance(rng, 97):
                found.append(rng.choice([f"0 <= {name} <= n", f"-2 < {name} <= 2", f"0 - n <= {name} < n"]))
            elif kind in LISTS and chance(rng, 93):
                found.append(
                    rng.choice([f"length({name}) <= {rng.choice([1, 2, 2, 3])}", f"length({name}) < 3"])
                )
            elif kind.startswith("("):
                continue
        if chance(rng, 12):
            scope = replace(self.scope(), types=dict(fields))
            form = FormDraft("alone", fields, (*found, scope.test()))
            step = Step("Alone", (Rule((form.text("_"),), "word[1]"),))
            final = Clause(form.text("_"))
            alone = Draft(
                "alone",
                tuple(self.parameters),
                (Clause("word[1]"),),
                (form,),
                (),
                (step,),
                (final,),
                self.grammar,
                self.declared,
            )
            if all(p.code not in ("contradiction", "wrong-type") for p in read_schema_text(alone.text)[1]):
                found = list(form.where)
        return found

    def given_item(self, form: FormDraft) -> Clause:
        """Return a hypothesis of a declared form; variables are positions and flags."""
        scope = self.scope()
        conditions: list[str] = []
        terms: list[str] = []
        given_parts = {"position": "1", "flag": "true", "position?": "-"}
        for _, kind in form.fields:
            known = scope.pick(kind)
            if kind in ("position", "flag") and not (known and chance(self.rng, 60)):
                name = scope.fresh(kind)
                terms.append(name)
                if kind == "position":
                    conditions.append(f"{self.low} <= {name} <= n")
            elif kind.endswith("?") and kind not in LISTS:
                terms.append("-")
            elif kind == "symbol":
                terms.append(self.rng.choice(self.symbols))
            elif kind in ("tree", "integer"):
                terms.append("0" if kind == "integer" else scope.expression(kind, flat=True))
            elif kind in LISTS:
                terms.append("<>")
            elif kind in DOTS:
                terms.append(f"{self.symbols[0]}({' '.join('.' * DOTS[kind])} {self.symbols[1]})")
            elif kind.startswith("("):
                parts = [
                    self.rng.choice(self.symbols) if p == "symbol" else given_parts[p] for p in TUPLES[kind]
                ]
                terms.append(f"({', '.join(parts)})")
            else:
                terms.append(known or "1")
        places = scope.of("position")
        if len(places) > 1 and chance(self.rng, 40):
            conditions.append(f"{places[0]} {self.rng.choice(['<', '<=', '!='])} {places[1]}")
        return Clause(f"{form.name}[{', '.join(terms)}]", tuple(conditions))

    def final(self, form: FormDraft) -> Clause:
        scope = self.scope()
        terms = []
        for k, (_, kind) in enumerate(form.fields):
            if k == 0 and kind == "position" and chance(self.rng, 40):
                terms.append(self.low)
            elif kind == "position" and chance(self.rng, 30):
                terms.append("n")
            elif chance(self.rng, 40):
                terms.append("_")
            else:
                terms.append(scope.pattern(kind))
        conditions = (scope.test(),) if scope.types and chance(self.rng, 25) else ()
        if self.grammar == "facts" and chance(self.rng, 30):
            conditions = (*conditions, scope.fact(negated=chance(self.rng, 30) and bool(scope.types)))
        elif self.grammar != "d-rules" and (known := scope.pick("symbol")) and chance(self.rng, 40):
            conditions = (*conditions, f"root {known}")
        if chance(self.rng, 10):
            conditions = (scope.binder_of_terms(), scope.test(), *conditions)
        return Clause(f"{form.name}[{', '.join(terms)}]", conditions)

    def scope(self) -> Scope:
        return Scope(
            self.rng,
            self.symbols,
            self.numbers,
            taken=frozenset(name for name, _ in self.parameters),
            grammar=self.grammar,
            trees=self.trees,
            relations=self.relations,
            structure=self.structure,
        )

    # steps

    def step(self, name: str, forms: list[FormDraft], target: FormDraft, arity: int) -> Step:
        rng = self.rng
        cases = rng.choice([1, 1, 1, 1, 1, 2, 2, 3])
        rules = []
        for _ in range(cases):
            here = arity if chance(rng, 75) else rng.choice([1, 2, 3])
            rules.append(self.rule([rng.choice(forms) for _ in range(here)], target))
        found = [r for r in rules if r is not None]
        if found and chance(rng, 6):
            found.append(self.like(found[0]))
        if found and chance(rng, 12) and (twin := self.coinciding(rng.choice(found), [*forms, target])):
            found.append(twin)
        return Step(name, tuple(found))

    def coinciding(self, rule: Rule, forms: list[FormDraft]) -> Rule | None:
        """Return a rule with other conditions that makes some instances which another one makes as well."""
        rng = self.rng
        loose = [c for c in rule.conditions if not re.match(r"(attach|link|builds|head|weight)\b", c)]
        if not loose:
            return None
        gone = rng.choice(loose)
        twin = replace(rule, conditions=tuple(c for c in rule.conditions if c is not gone))
        named = {form.name: form for form in forms}
        above = [named[_form_of(a)] for a in rule.antecedents]
        return twin if self._sound(above, named[_form_of(rule.consequent)], twin) else None

    def like(self, rule: Rule) -> Rule:
        """Return a rule that differs from another only in which antecedents are context, or in links of heads."""
        rng = self.rng
        plain = [a.removeprefix("given ") for a in rule.antecedents]
        marked = tuple(f"given {a}" if chance(rng, 40) else a for a in plain)
        conditions = [c for c in rule.conditions if "head" not in c]
        places = [k for k, a in enumerate(marked, start=1) if not a.startswith("given ")]
        if len(places) > 1 and not self.structured and chance(rng, 40):
            one, two = rng.sample(places, 2)
            conditions.append(f"link head of {one} to head of {two}")
        return replace(rule, antecedents=marked, conditions=tuple(conditions))

    def rule(self, forms: list[FormDraft], target: FormDraft, hard: bool = True) -> Rule | None:
        """Return a rule that checks by itself, or None where several tries find none."""
        for _ in range(TRIES):
            rule = self._rule(forms, target, hard)
            if self._sound(forms, target, rule):
                return rule
        return None

    def _sound(self, forms: list[FormDraft], target: FormDraft, rule: Rule) -> bool:
        """Whether a rule has no errors by itself: no contradictions, no variables that nothing determines."""
        every = list(dict.fromkeys([*forms, target]))
        declared = tuple(f for f in every if f.name != "word")
        given = (Clause("word[i]", (f"{self.low} <= i <= {self.high}",)),)
        final = Clause(target.text("_"))
        alone = Draft(
            "alone",
            tuple(self.parameters),
            given,
            declared,
            (),
            (Step("Alone", (rule,)),),
            (final,),
            self.grammar,
            self.declared,
        )
        _, problems = read_schema_text(alone.text)
        whole = ("unproduced-form", "unreachable-final")
        return all(p.severity == "warning" or p.code in whole for p in problems)

    def _rule(self, forms: list[FormDraft], target: FormDraft, hard: bool) -> Rule:
        rng, scope = self.rng, self.scope()
        given = chance(rng, 12) and bool(forms)
        antecedents = []
        for k, form in enumerate(forms):
            context = given and k == rng.randrange(len(forms))
            adjacent = k > 0 and chance(rng, 75)
            terms = [
                scope.pattern(kind, adjacent and at == 0) if hard or kind != "position" else scope.fresh(kind)
                for at, (_, kind) in enumerate(form.fields)
            ]
            antecedents.append(f"{'given ' if context else ''}{form.name}[{', '.join(terms)}]")
        conditions = self.conditions(scope, 0 if not forms else 3 if given else len(forms))
        terms = self.consequent(scope, target)
        consequent = f"{target.name}[{', '.join(terms)}]"
        if not self.structured and chance(rng, 60 if any("head" in c for c in conditions) else 4):
            conditions.append(self.head(scope, [a for a in antecedents if not a.startswith("given ")], terms))
        rng.shuffle(conditions)
        return Rule(tuple(antecedents), consequent, tuple(conditions))

    def conditions(self, scope: Scope, antecedents: int) -> list[str]:
        rng = self.rng
        found: list[str] = []
        if not antecedents and self.inputs:
            of = rng.choice(self.inputs)
            found.append(f"{scope.fresh(f'position of {of}')} in [{rng.choice('01')}..n of {of}]")
        elif not antecedents:
            low, high = rng.choice([("1", "n"), ("0", "n"), ("1", "1")])
            found.append(f"{scope.fresh('position')} in [{low}..{high}]")
        if chance(rng, 30):
            found.append(scope.binder())
        if self.grammar == "facts":
            found += [scope.fact() for _ in range(rng.choice([0, 1, 1, 2]))]
            found += [scope.fact(negated=True) for _ in range(rng.choice([0, 0, 0, 1]))]
        elif self.grammar != "d-rules":
            found += [scope.of_rules() for _ in range(rng.choice([0, 0, 1, 1, 2]))]
            if chance(rng, 15):
                found.append(scope.licence("link", 0))
        elif chance(rng, 30):
            found.append(scope.licence(rng.choice(["attach", "attach", "attach", "licensed", "link"]), 0))
            if chance(rng, 25):
                found[-1] = scope.licence(rng.choice(["attach", "licensed"]), 50)
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            found.append(scope.test())
        if self.grammar == "d-rules" and scope.pick("symbol") and chance(rng, 20):
            found.append(scope.licence("licensed", 20))
        if chance(rng, 2) and scope.pick("position"):
            found.append(scope.fact(negated=chance(rng, 50)))
        if self.structured:
            found += [scope.atom() for _ in range(rng.choice([0, 1, 1, 2]))]
        if antecedents and chance(rng, 10):
            found.append(scope.weight())
        if not self.structured and antecedents == 2 and chance(rng, 5):
            found.append(rng.choice(["link head of 1 to head of 2", "link head of 2 to head of 1"]))
        elif not self.structured and antecedents == 1 and chance(rng, 3):
            found.append("link head of 1")
        return found

    def head(self, scope: Scope, structural: list[str], terms: list[str]) -> str:
        """Return a condition that names the head: a field of an antecedent or the consequent, or a number."""
        fields = {x for a in structural for x in a.partition("[")[2].rstrip("]").split(", ")} | set(terms)
        known = [x for x in scope.of("position") if x in fields]
        name = self.rng.choice(known) if known else self.rng.choice(["0", "1"])
        return f"head {name}" if chance(self.rng, 85) else f"head {name} + 1"

    def consequent(self, scope: Scope, form: FormDraft) -> list[str]:
        """Return expressions; the first and last positions known are likely for the first two."""
        rng = self.rng
        known = scope.of("position")
        terms: list[str] = []
        for k, (_, kind) in enumerate(form.fields):
            if kind == "position" and known and k < 2 and chance(rng, 65):
                terms.append(known[0] if k == 0 else known[-1])
            else:
                terms.append(scope.expression(kind))
        return terms

    # normal forms

    def normal_form(self, name: str) -> tuple[FormDraft, tuple[Clause, ...]]:
        """Return a form with equations that end: each makes something smaller and is undone in one way."""
        rng = self.rng
        extra = rng.choice([[], ["flag"], ["position?"], ["flag", "position"], ["position"], ["symbol"]])
        fields = self._named(["position", "position", *extra])
        names = [f for f, _ in fields]
        where = [f"{self.low} <= {f} <= {self.high}" for f, kind in fields if kind == "position"]
        where += [
            f"{f} is absent or {self.low} <= {f} <= {self.high}" for f, kind in fields if kind == "position?"
        ]
        a, b = names[:2]
        choices = [
            ({a: b, b: a}, {}, [f"{b} < {a}"]),
            ({a: f"{a} - 1"}, {}, [f"{b} == {a} - 1"]),
            ({b: f"{a} - 1"}, {b: a}, [f"{a} == n"]),
            ({b: a}, {b: f"{a} + 1"}, []),
            ({b: "0"}, {b: a}, [f"{a} > {self.low}"]),
            ({b: f"{b} - 1"}, {}, [f"{a} < {b}", f"{b} <= {self.high}"]),
            ({b: f"{b} - 1"}, {}, [f"{a} + 1 < {b} or {b} == n", f"{a} < {b}"]),
        ]
        for f, kind in fields[2:]:
            if kind == "flag":
                choices += [
                    ({f: "false"}, {f: "true"}, [rng.choice([f"{a} == {b}", f"{a} < {b}", "n > 1"])])
                ] * 2
                choices += [({a: b, b: a, f: "not " + f}, {}, [f"{b} < {a}"])]
            elif kind == "symbol":
                one, two = self.symbols
                conditions = rng.choice([[f"{a} < {b}"], [f"{a} == {b} or {b} == n"], [f"not ({a} > 1)"]])
                choices += [({f: one}, {f: two}, conditions)] * 2
            elif kind == "position?":
                choices += [({f: "-"}, {f: rng.choice([a, b, f"{a} + 1"])}, [])] * 3
            else:
                choices += [({f: f"{f} - 1"}, {}, [f"{f} == {b} + 1"]), ({a: f, f: a}, {}, [f"{f} < {a}"])]
                choices += [({b: f"{b} - 1"}, {f: b}, [f"{a} < {b}"])]
        equations = []
        for right, left, conditions in rng.sample(choices, rng.choice([1, 1, 2])):
            lefts = [left.get(f, f"{f}?" if kind == "position?" else f) for f, kind in fields]
            rights = []
            for f in names:
                rights.append(right.get(f, left.get(f, f)))
            text = f"{name}[{', '.join(lefts)}] = {name}[{', '.join(rights)}]"
            equations.append(Clause(text, tuple(c for c in conditions)))
        if chance(rng, 40) and len(where) > 1:
            where.append(f"{a} <= {b}")
        return FormDraft(name, fields, tuple(where)), tuple(equations)


def _derivable(
    forms: list[FormDraft], steps: list[Step], given: set[str]
) -> tuple[list[FormDraft], list[Step]]:
    """Return the forms that something derives, and the rules that can be applied."""
    known = {*given, "word"}
    while True:
        rules = [r for step in steps for r in step.rules if {_form_of(a) for a in r.antecedents} <= known]
        found = known | {_form_of(r.consequent) for r in rules}
        if found == known:
            break
        known = found
    kept = [replace(step, rules=tuple(r for r in step.rules if r in rules)) for step in steps]
    return [f for f in forms if f.name in known], [step for step in kept if step.rules]


def _form_of(item: str) -> str:
    return item.removeprefix("given ").partition("[")[0]


def _family(rng: random.Random) -> Draft:
    """Return trees over positions with gaps, combined by a family of steps for every layout."""
    most = rng.choice([0, 1, 1, 2])
    limit, parameters = (f"{most}", ()) if chance(rng, 70) else ("k", (("k", most),))
    headed = chance(rng, 70)
    h = "h, " if headed else ""
    fields = (
        ("i", "position"),
        ("j", "position"),
        *((("h", "position"),) if headed else ()),
        ("gaps", "intervals"),
    )
    where = ["1 <= i <= j <= n", "gaps in [i + 1..j - 1]", f"length(gaps) <= {limit}"]
    where += ["1 <= h <= n"] if headed else []
    form = FormDraft("tree", fields, tuple(where))
    equations = (
        (Clause(f"tree[i, j, {h}gaps] covers [i..j] minus gaps, with or without h"),)
        if headed and chance(rng, 60)
        else ()
    )
    letters = rng.choice(["a, b", "a, b, g", "a, b, g", "b, a"])
    ends = rng.choice(
        [" beginning with a or b", " beginning with a", " beginning with a, ending with a or b"]
    )
    pieces = rng.choice([f"{limit} + 1", "1", "2"])
    bounds = [
        f"pieces(a) <= {pieces}",
        f"pieces(b) <= {rng.choice(['1', pieces])}",
        f"pieces(a b) <= {rng.choice(['1', pieces])}",
    ]
    family = (f"for every layout of {letters}{ends}", f"  where {', '.join(bounds)}")
    other = rng.choice(["h", "h'"]) if headed else ""
    one = f"tree[first(a), last(a), {h}gaps(a)]"
    two = f"tree[first(b), last(b), {other + ', ' if other else ''}gaps(b)]"
    whole = rng.choice(["a b", "a b", "a b", "b a"])
    made = f"tree[first({whole}), last({whole}), {h}gaps({whole})]"
    conditions = [rng.choice(["attach h' to h", "h < h'"])] if other == "h'" else []
    if chance(rng, 15):
        conditions.append(rng.choice(["first(b) > 1", "last(a) != n", "first(a) < last(b)"]))
    combine = Rule((one, two) if chance(rng, 80) else (two, one), made, tuple(conditions), family)
    third = f"tree[first(c), last(c), {'_, ' if headed else ''}gaps(c)]"
    if "g" not in letters and chance(rng, 25):
        family = (family[0].replace(letters, f"{letters}, c"), f"{family[1]}, pieces(c) <= 1")
        combine = replace(combine, antecedents=(*combine.antecedents, third), family=family)
    steps = [
        Step("Start", (Rule(("word[i]",), f"tree[i, i, {'i, ' if headed else ''}<>]"),)),
        Step("Combine", (combine,)),
    ]
    if headed and chance(rng, 60):
        reach = rng.choice(["h' in [i..j] minus G", "h' in [i..j]", "h' not in [i..j] minus G"])
        rule = Rule(("tree[i, j, h', G]", "tree[h, h, h, <>]"), "tree[i, j, h, G]", ("attach h' to h", reach))
        steps.append(Step("Link", (rule,)))
    if most and chance(rng, 50):
        gap = Rule(
            ("tree[i, j, " + h + "<*A, (l, r), *B>]", "tree[l, r, " + ("_, " if headed else "") + "<>]"),
            f"tree[i, j, {h}<*A, *B>]",
        )
        steps.append(Step("Fill", (gap,)))
    if most and chance(rng, 40):
        rule = Rule(
            ("tree[i, j, " + h + "G]",),
            f"tree[i, j, {h}<*G, (x, y)>]",
            ("x in [i..j] minus G", "y in [x..j] minus G"),
        )
        steps.append(Step("Open", (rule,)))
    finals = (Clause(f"tree[1, n, {'_, ' if headed else ''}{rng.choice(['<>', '_', 'G'])}]"),)
    return Draft(
        "random", parameters, (Clause("word[i]", ("1 <= i <= n",)),), (form,), equations, tuple(steps), finals
    )


def _yields(rng: random.Random) -> Draft:
    """Return constituents of several spans, which functions of the grammar put together."""
    item = FormDraft("c", (("A", "symbol"), ("S", SPANS)), (f"length(S) <= {rng.choice([1, 2, 2])}",))
    relations = (
        "relation lexical(x: word, y: symbol)",
        "relation single(x: symbol, y: symbol, function: symbol)",
        "relation double(x: symbol, y: symbol, z: symbol, function: symbol)",
    )
    atom = [rng.choice(["builds part(A, compose(F, S, T))", "builds part(A)"])] if chance(rng, 40) else []
    tests = [rng.choice(["S != T", "B != C", "not single(A, B, F)", "not lexical(n, A)", 'A == "A"'])]
    conditions = (rng.choice(["double(A, B, C, F)", "double(A, _, C, F)", "double(A, B, A, F)"]), *atom)
    two = [f"{rng.choice(['', '', 'given '])}c[B, S]", "c[C, T]"]
    lists = rng.choice(["S, T", "S, T", "T, S", "S, S, T"])
    binary = Rule(
        tuple(two), f"c[A, compose(F, {lists})]", (*conditions, *(tests if chance(rng, 40) else ()))
    )
    start = Rule(
        (),
        f"c[A, <{rng.choice(['(i - 1, i)', '(i - 1, i)', '(i, n + 1 - i)', '(i, i), (i, i)'])}>]",
        ("lexical(i, A)",),
    )
    unary = Rule(("c[B, S]",), "c[A, compose(F, S)]", ("single(A, B, F)",))
    steps = [Step("Word", (start,)), Step("Binary", (binary,))]
    steps += [Step("Unary", (unary,))] if chance(rng, 60) else []
    final = Clause(rng.choice(["c[_, <(0, n)>]", 'c["A", <(0, n)>]', "c[_, _]", "c[A, <*_, (_, n)>]"]))
    word = (Clause("word[i]", ("1 <= i <= n",)),)
    return Draft(
        "random", (), word, (item,), (), tuple(steps), (final,), "facts", ("  structure set", *relations)
    )


LINKING = (
    "eisner-lg", "eisner-satta-lg", "sleator-temperley1991", "sleator-temperley-printed",
    "yamada-matsumoto-lg",
)  # fmt: skip


def random_over_dictionaries(rng: random.Random) -> m.Schema:
    """Return a shipped schema over dictionaries with conditions left out, and flags and marks of context turned."""
    schema = load_schema(rng.choice(LINKING))

    def changed(case: m.Case) -> m.Case:
        tests = [c for c in case.conditions if isinstance(c, m.Junction | m.Compare | m.Matches)]
        gone = rng.sample(tests, 1) if tests and chance(rng, 40) else []
        links = () if any(isinstance(c, m.Matches) for c in gone) else case.links  # a join needs what matches
        antecedents = tuple(replaced(a, context=a.context != chance(rng, 15)) for a in case.antecedents)
        terms = tuple(
            m.Lit(not x.value)
            if isinstance(x, m.Lit) and isinstance(x.value, bool) and chance(rng, 15)
            else x
            for x in case.consequent.terms
        )
        conditions = tuple(c for c in case.conditions if c not in gone)
        consequent = replaced(case.consequent, terms=terms)
        return replaced(
            case, antecedents=antecedents, consequent=consequent, conditions=conditions, links=links
        )

    return replaced(schema, cases=tuple(map(changed, schema.cases)))
