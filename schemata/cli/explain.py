"""The commands that explain runs: `explain` and `why-not` of items, `step`, `profile` and `compile` of kernels."""

from __future__ import annotations

import re
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from schemata.analysis import explain as explaining
from schemata.analysis.figures import besides_json, warnings_of
from schemata.cli import command as c
from schemata.cli.output import print_json, report, waiting, write
from schemata.display.arc_layout import links_picture, links_text
from schemata.display.arcs import arcs_text
from schemata.display.explanations import derivations_text, explain_text
from schemata.display.terminal import Page, ProgressBar, page, table
from schemata.engine.exceeded import Interrupted
from schemata.errors import UsageError
from schemata.grammars.kinds import heads_of
from schemata.language.forms import field_names
from schemata.language.typeset import reference_of
from schemata.records import replace
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.analysis.stepping import Stepping
    from schemata.charts import Item

_ITEM = c.option("item ITEM", 'the item, for example "span[0, 3, false, true]"', nargs="?")
_MEASURED = (
    "the greatest number of words that the Python kernel is measured on (default: 200,000 step instances)"
)
_ORDER = "print in which order items can be completed, for every sentence length"
_BEGINS = re.compile(r"[\w-]+\s*\[")
_KEYS = "number, Enter: {first}, b: back, f: forward, a: all, q: quit > "
_FORMS = 3  # forms of items that an error names
_SHOWN = 20  # offers, unless all are asked for


def _item_named(arguments: Namespace) -> str | None:
    """Return the item that a command names, which the shell may have split at blanks; the words before stay.

    The item is the last argument if that looks like one, or the last few, of which the first begins like one.
    Behind a sentence in quotes only an item can stand, and so it is with `--conllu` and `--lattice`.

    Raises
    ------
    UsageError : there is no sentence, or no item behind it.
    """
    words: list[str] = arguments.sentence
    if arguments.conllu or arguments.lattice:
        arguments.sentence = []
        return " ".join(words) or None
    last = len(words) - 1
    begins = [k for k, word in enumerate(words) if _BEGINS.match(word)]
    if begins and words[-1].endswith("]"):
        start = last if begins[-1] == last else begins[0]
    else:
        start = last if begins[-1:] == [last] and last else last + 1
    if start == 0:
        message, expected = "there is no sentence before the item", 'words in quotes: "the cat sat"'
        raise UsageError(message, code="no-sentence", expected=expected)
    if start > last and last and " " in words[0]:
        raise _no_item(arguments)
    arguments.sentence = words[:start]
    return " ".join(words[start:]) or None


def _no_item(arguments: Namespace) -> UsageError:
    """Return the error of a command whose last argument is not an item: which items the schema has."""
    words = arguments.sentence
    schema = c.chosen_schema(arguments.schema, arguments.set).definition
    derived = {case.consequent.form for case in schema.cases}
    named = [field_names(form, types=True) for form in schema.forms if form.name in derived]
    shown = " or ".join([*named[:_FORMS], *["..."] * (len(named) > _FORMS)])
    expected = f"an item as the last argument: {shown}"
    if not words or (len(words) == 1 and " " in words[0]):
        message = f"no item stands behind the sentence {words[0]!r}" if words else "there is no item"
        return UsageError(message, code="no-item", expected=expected)
    if round_brackets := re.fullmatch(r"\s*([^\W\d_]\w*)\((.*)\)\s*", words[-1]):
        hint = f"items have square brackets: {round_brackets[1]}[{round_brackets[2]}]"
        return UsageError(f"{words[-1]!r} is not an item", code="no-item", expected=expected, hint=hint)
    order = "the sentence stands before the item" if " " in words[-1] and len(words) > 1 else None
    return UsageError(f"{words[-1]!r} is not an item", code="no-item", expected=expected, hint=order)


@c.command(
    c.ONE_RUN,
    c.LATTICE,
    _ITEM,
    c.number("--depth N", "go N steps deep (default: all)", above=-1),
    c.flag("--every-step", "all step instances that derive the item"),
    c.flag("--heaviest", "the derivation with the greatest weight, not the smallest proof"),
    c.flag("--contents", "the partial trees that the item stands for: those that its derivations build"),
    c.number("--limit N", "at most N partial trees are shown (default 10)", 10, above=0),
    c.output("--svg FILE", "draw the partial trees as SVG"),
    c.WEIGHTS,
    needs=(("--limit", "--contents"), ("--svg", "--contents"), ("--number", "--conllu")),
    apart=(("--contents", "--every-step --heaviest --depth"), ("--lattice", "--conllu")),
)
def explain(arguments: Namespace) -> int:
    """Explain a derivable item: a smallest proof, every step instance that derives it, or its contents.

    The item is written as the schema writes it, with values: "span[0, 3, false, true]". Exit code 1: it is not
    derivable; `schemata why-not` names the missing items and conditions.
    """
    item = _item_named(arguments)
    if item is None:
        raise _no_item(arguments)
    chart, code = c.chosen_chart(arguments, item)
    budget, besides = c.answering(c.chosen_budget(arguments)), besides_json(chart)
    try:
        if arguments.contents:
            found_contents = chart.contents(item, arguments.limit)
            files = [] if arguments.svg is None else [found_contents.save(arguments.svg)]
            return c.answer(arguments, found_contents, code=code, files=files)
        if not arguments.every_step:
            proof = chart.explain(item, arguments.depth, budget, arguments.heaviest)
            return c.answer(arguments, proof, code=code)
        inferences = explaining.derivations_of(chart, item, budget)
        number = explaining.find_item(chart, item).number
        assert number is not None
        derived = chart.item(number)
        found = {"item": str(derived), "derivable": True, "hypothesis": number < chart.raw.hypothesis_count}
        found["derivations"] = [one.to_json() for one in inferences]
        told = partial(derivations_text, chart, derived, inferences)
        return c.answer(arguments, chart.heading() | found | besides, told, code)
    except explaining.NotDerivableError as error:
        report(*error.diagnostics)
        if arguments.json:
            derivable = None if chart.stopped else False
            found = {"item": explaining.find_item(chart, item).text, "derivable": derivable}
            found |= {"nearest": [str(x) for x in error.nearest], "hint": error.diagnostics[0].hint}
            print_json(chart.heading() | found | besides)
        return code or 1


@c.command(
    c.ONE_RUN,
    c.LATTICE,
    _ITEM,
    c.number("--depth N", "go N steps deep (default 3)", 3),
    c.HEADS,
    c.option("--better-than HEADS", "a tree that is better than this one, and where"),
    c.WEIGHTS,
    c.ASCII,
    c.WIDTH,
    needs=(("--number", "--conllu"),),
    apart=(("--heads", "--better-than"), ("--lattice", "--conllu --heads --better-than")),
)
def why_not(arguments: Namespace) -> int:
    """Explain why an item is not derivable: for each step that could derive it, the first missing part.

    Without an item, say why no final item is derivable; with --heads why the tree is not derived: which link is never
    built, or what is not put together. Exit code 0: it is derivable; 1: it is not.
    """
    item = _item_named(arguments)
    for name in ("better_than", "heads"):
        if item is not None and getattr(arguments, name) is not None:
            message = f"--{name.replace('_', '-')} is about a tree, not about an item"
            raise UsageError(message, code="usage", hint="leave out the item")
    if arguments.heads is not None:
        from schemata.verification.trees import why_not_tree

        of_tree = partial(why_not_tree, *c.chosen_run(arguments), budget=c.chosen_budget(arguments))
        return _reasons(arguments, partial(of_tree, heads_of(f"heads:{arguments.heads}")))
    chart, code = c.chosen_chart(arguments, item)
    if arguments.better_than is not None:
        from schemata.analysis.weighed import why_not_best

        better = why_not_best(chart, heads_of(f"heads:{arguments.better_than}"))
        return c.answer(arguments, better, code=code or (0 if better.is_best else 1))
    head = chart.heading() | besides_json(chart)
    return max(code, _reasons(arguments, partial(chart.why_not, item, arguments.depth), head))


def _reasons(arguments: Namespace, find: Callable[[], Any], head: Mapping[str, Any] = {}) -> int:
    """Print reasons. Exit code: 0 if the subject is derived, 1 if not, 2 at the end of a budget."""
    budget, when = c.answering(c.chosen_budget(arguments)), " while reasons were looked for"
    found, stopped = c.heeding(budget, time.perf_counter(), when, (find() for _ in range(1)))
    if stopped is not None:
        if arguments.json:
            print_json({**head, "stopped": stopped})
        return c.exit_code(None, stopped)
    return c.answer(arguments, found[0], code=0 if found[0].derivable else 1)


@c.command(
    c.ONE_RUN,
    c.number("--max-n N", _MEASURED, above=0),
    c.number("--plans N", "show the plans of N steps (default 5)", 5, above=-1),
    c.ASCII,
    needs=(("--number", "--conllu"),),
)
def profile(arguments: Namespace) -> int:
    """Profile a schema on a sentence: instances, time and join selectivity of every step, and the plan in words.

    Shares of the time and candidates are measured in the kernel that Python runs; of a long sentence, on its beginning.
    The time of the engine that ran the schema is printed as well.
    """
    from schemata.display.kernels import profile_text

    schema, sentence, grammar = c.chosen_run(arguments)
    budget = c.chosen_budget(arguments)
    try:
        with ProgressBar(f"profiling {schema.name}"):
            result = schema.profile(sentence, grammar, budget, arguments.max_n)
    except Interrupted as stopped:
        report(*stopped.diagnostics)
        return 130
    if result.over is not None:
        report(*result.over.diagnostics)
    report(*c.of_sentence(warnings_of(result.chart), grammar))
    text = partial(profile_text, result, plans=arguments.plans)
    return c.answer(arguments, result, text, 0 if result.over is None else 2)


@c.command(
    c.SCHEMA,
    c.flag("--explain", f"{_ORDER}, and why that is so, or which step prevents an order"),
    c.LIMITS,
    c.JSON,
)
def compile_kernel(arguments: Namespace) -> int:
    """Print the kernel that is generated from a schema, or the proof of an order for native kernels."""
    schema = c.chosen_schema(arguments.schema, arguments.set)
    head = {"schema": schema.name, "parameters": dict(schema.parameters)}
    if not arguments.explain:
        text = schema.kernel.text
        source = {**head, "engine": "python", "source": text}
        return c.answer(arguments, source, text.removesuffix("\n"))
    from schemata.display import kernels
    from schemata.order.kept import prove_order
    from schemata.order.model import Order
    from schemata.ordered.kernel import why_unused

    program = schema.kernel.program
    proof = prove_order(program, c.chosen_budget(arguments).left(time.perf_counter()))
    if isinstance(proof, Order):
        unused = why_unused(proof)
        order, told = kernels.order_as_json(proof, unused), partial(kernels.explain_order, proof, unused)
    else:
        order = kernels.refusal_as_json(program, proof)
        told = partial(kernels.explain_refusal, reference_of(schema.definition), order)
    return c.answer(arguments, {**head, "order": order}, told, 0 if order["proved"] else 1)


@c.command(
    c.SCHEMA,
    c.SENTENCE,
    c.OF_FILE,
    c.GRAMMAR,
    c.HEADS,
    c.option("--take K,K,...", "choose these offers first; b: back, f: forward, o: the oracle's"),
    c.WEIGHTS,
    c.CONTROL,
    c.LIMITS,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(("--number", "--conllu"), ("--weights", "--control")),
    apart=(("--conllu", "--heads"), ("--control", "--heads")),
)
def step(arguments: Namespace) -> int:
    """Go through a run item by item: see the links built so far, and choose the next item.

    In a transition system the transitions from the configuration are offered, else the items of the agenda; with
    --heads, --conllu or --control those that an oracle or a strategy would take are marked. Answer with
    a number, or with Enter for the choice of the oracle or the strategy (else the first); b and f go back and forth, q
    quits. Where input is not a terminal, the state after --take is printed.
    """
    from schemata.analysis.stepping import Stepping
    from schemata.analysis.why_not import takes_heads
    from schemata.engine.control import Exploration

    schema = c.chosen_schema(arguments.schema, arguments.set)
    sentence = c.one_sentence(arguments)
    if arguments.heads is not None:
        takes_heads(schema.definition)
        gold: DependencyTree | None = c.chosen_tree(arguments.heads, sentence)
    else:
        gold = None if sentence.heads is None else DependencyTree(sentence.heads)
    schema, sentence = schema.of_inputs(sentence)
    grammar = c.chosen_grammar(schema, arguments)
    budget = c.chosen_budget(arguments)
    plan: Sequence[Item] = ()
    if arguments.control is not None:
        weights = c.chosen_weights(arguments)
        chart = schema.run(sentence, grammar, budget=budget, weights=weights, control=arguments.control)
        numbers = range(chart.raw.hypothesis_count, chart.raw.item_count)
        plan, gold = [chart.item(x) for x in numbers], None

    def explore() -> Exploration:
        return Exploration(schema.definition, sentence, grammar.for_sentence(sentence), None, budget)

    stepping = Stepping(schema, explore, gold, plan)
    report(*c.of_sentence(warnings_of(stepping.explored.chart), grammar))
    for choice in re.split("[, ]+", arguments.take) if arguments.take else ():
        if not stepping.answer(choice):
            raise UsageError(f"{choice!r} is not offered", expected="the number of an offer, o, b or f")
    asks = sys.stdin.isatty() and not arguments.json
    if not asks:
        return c.answer(arguments, stepping, partial(stepping_text, stepping))
    most: int | None = _SHOWN
    waiting()
    while True:
        shown = page(arguments.ascii, arguments.width)
        write(f"\n{stepping_text(stepping, shown, most)}\n")
        try:
            first = "the strategy's" if plan else "the first" if gold is None else "the oracle's"
            answer = input(_KEYS.format(first=first)).strip()
        except EOFError:
            return 0
        most = None if answer == "a" else _SHOWN
        if answer == "q":
            return 0
        if answer != "a" and not stepping.answer(answer or "o"):
            write(f"{answer or 'Enter'} is not possible here\n")


def stepping_text(stepping: Stepping, page: Page, most: int | None = None) -> str:
    """Return the display of `schemata step`: the item taken last, the links it has built, and the first
    offers, numbered.
    """
    chart, built = stepping.explored.chart, stepping.built()
    words = chart.sentence.words
    where = "nothing is taken"
    if stepping.past:
        final = ", a final item" * stepping.explored.is_final(stepping.past[-1])
        where = f"{len(stepping.past)} taken, the last one {stepping.current}{final}"
    links: list[Any] = [one for one in built if isinstance(one[0], int)]
    parts = [where]
    if chart.schema.builds_links:
        parts.append(arcs_text(links_picture(words, links, rtl=page.rtl), page))
    elif stepping.current is not None:
        proved = explaining.explain(stepping.explored.chart_of(stepping.past), stepping.current)
        parts.append(explain_text(proved, page))
    if not stepping.is_system:
        parts += _chart_so_far(stepping, page)
    offers = stepping.offers()
    headers = ["", "step", "item", "builds"]
    headers += ["strategy"] if stepping.plan else ["oracle"] if stepping.gold else []
    headers += ["loses"] if any(offer.loss is not None for offer in offers) else []
    rows = []
    for number, offer in enumerate(offers[:most], start=1):
        item = f"{offer.item}{' (final)' if offer.final else ''}"
        loss = "?" if offer.loss is None else str(offer.loss)
        row = [str(number), offer.step, item, links_text(offer.links), "*" if offer.advised else "", loss]
        rows.append(row[: len(headers)])
    parts.append(table(headers, rows, page) if rows else "nothing is left to take")
    if len(rows) < len(offers):
        parts.append(f"{len(offers) - len(rows):,} more: a shows all")
    return "\n\n".join(parts)


def _chart_so_far(stepping: Stepping, page: Page) -> list[str]:
    """Return the picture of the chart so far, the step that made the item taken last marked; none without places."""
    from schemata.display.chart_layout import chart_picture
    from schemata.display.charts import chart_text

    chart, waiting, antecedents, consequent = stepping.pictured()
    marked: Any = {"new": waiting, "antecedents": antecedents, "consequent": consequent, "set_apart": False}
    try:
        picture = chart_picture(chart, **marked)
    except UsageError:  # its items have no place in the sentence
        return []
    return [chart_text(replace(picture, new_are="derived, not taken yet"), page)] if picture.cells else []
