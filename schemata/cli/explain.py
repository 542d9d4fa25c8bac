"""The commands that explain runs: `explain` and `why-not` of items, `profile` and `compile` of kernels."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from functools import partial

from schemata.analysis.figures import besides_json
from schemata.budget import Interrupted
from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.shown import text_of
from schemata.display.terminal import ProgressBar
from schemata.errors import UsageError
from schemata.grammars.kinds import heads_of
from schemata.language.typeset import reference_of

_ITEM = c.option("item", "ITEM", 'the item, for example "span[0, 3, false, true]"', nargs="?")
_BEGINS = re.compile(r"[\w-]+\s*\[")


def _item_named(arguments: Namespace) -> str | None:
    """Return the item that a command names, which the shell may have split at blanks; the words before stay.

    The item is the last argument if that looks like one, or what begins like one and ends with the last argument.
    Behind a sentence in quotes only an item can stand.

    Raises
    ------
    UsageError : what stands behind the sentence is no item, or there is no sentence.
    """
    words: list[str] = arguments.sentence
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
        raise _no_item(words)
    arguments.sentence = words[:start]
    return " ".join(words[start:]) or None


def _no_item(words: list[str]) -> UsageError:
    expected = "an item, such as span[0, 3, false, true], as the last argument"
    return UsageError(f"{words[-1]!r} is not an item", code="no-item", expected=expected)


@c.command(
    c.ONE_RUN,
    _ITEM,
    c.number("--depth", "N", "show the proof N steps deep (default: all)", above=-1),
    c.flag("--all", "every step instance that derives the item"),
    c.flag("--best", "the derivation with the greatest weight, not the smallest proof"),
    c.WEIGHTS,
)
def explain(arguments: Namespace) -> int:
    """Explain why an item is derivable: a smallest proof of it, or every step instance that derives it.

    The item is written as the schema writes it, with values: "span[0, 3, false, true]". Exit code 1: it is not
    derivable; `schemata why-not` tells what is missing.
    """
    from schemata.analysis import explain as e
    from schemata.analysis.items import NotDerivableError, find_item
    from schemata.display.explanations import derivations_text

    item = _item_named(arguments)
    if item is None:
        raise _no_item(arguments.sentence)
    chart, code = c.chosen_chart(arguments)
    budget, besides = c.answering(c.chosen_budget(arguments)), besides_json(chart)
    try:
        if not arguments.all:
            proof = chart.explain(item, arguments.depth, budget, arguments.best)
            c.answer(arguments, proof.to_json, partial(text_of, proof))
            return code
        inferences = e.derivations_of(chart, item, budget)
        number = find_item(chart, item).number
        assert number is not None
        derived = chart.item(number)
        found = {
            "item": str(derived),
            "derivable": True,
            "hypothesis": number < chart.raw.hypothesis_count,
            "derivations": [i.to_json() for i in inferences],
        }
        c.answer(
            arguments,
            lambda: chart.heading() | found | besides,
            lambda page: derivations_text(chart, derived, inferences, page),
        )
    except NotDerivableError as error:
        report(*error.diagnostics)
        if arguments.json:
            found = {
                "item": find_item(chart, item).text,
                "derivable": False,
                "nearest": [str(x) for x in error.nearest],
                "hint": error.diagnostics[0].hint,
            }
            c.print_json(chart.heading() | found | besides)
        return code or 1
    return code


@c.command(
    c.ONE_RUN,
    _ITEM,
    c.number("--depth", "N", "follow the reasons N steps deep (default 3)", 3),
    c.option(
        "--heads",
        "HEADS",
        "tell why a whole tree is not derived: which link is never built, or what is not put together",
    ),
    c.option("--best", "HEADS", "tell instead which tree is better than this one, and where: 2,3,0"),
    c.WEIGHTS,
    c.ASCII,
    c.WIDTH,
    apart=(("--heads", "--best"),),
)
def why_not(arguments: Namespace) -> int:
    """Tell why an item is not derivable: for each step that could derive it, what is missing first.

    Without an item, tell why no final item is derivable. Exit code 0: it is derivable; 1: it is not.
    """
    item = _item_named(arguments)
    if arguments.heads is not None:
        return _why_not_tree(arguments, item)
    chart, code = c.chosen_chart(arguments)
    if arguments.best is not None:
        from schemata.analysis.weighed import why_not_best
        from schemata.display.weighed import why_not_best_text

        if item is not None:
            raise UsageError(
                "--best is about a tree, not about an item", code="usage", hint="leave out the item"
            )
        better = why_not_best(chart, heads_of(f"heads:{arguments.best}"))
        c.answer(arguments, better.to_json, partial(why_not_best_text, better))
        return code or (0 if better.is_best else 1)
    reasons = map(partial(chart.why_not, depth=arguments.depth), [item])
    budget, when = c.answering(c.chosen_budget(arguments)), " while reasons were looked for"
    found, stopped = c.heeding(budget, time.perf_counter(), when, reasons)
    if stopped is not None:
        if arguments.json:
            c.print_json(chart.heading() | besides_json(chart) | {"stopped": stopped})
        return 130 if stopped == "interrupt" else 2
    (reason,) = found
    c.answer(arguments, reason.to_json, partial(text_of, reason))
    return code or (0 if reason.derivable else 1)


def _why_not_tree(arguments: Namespace, item: str | None) -> int:
    """Tell why a tree is not derived; 0 where it is, 1 where it is not, 2 at the end of a budget."""
    from schemata.verification.trees import why_not_tree

    if item is not None:
        raise UsageError(
            "--heads is about a tree, not about an item", code="usage", hint="leave out the item"
        )
    schema = c.chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = c.chosen_grammar(schema, arguments)
    sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
    budget, heads = c.chosen_budget(arguments), heads_of(f"heads:{arguments.heads}")
    tell, when = (
        partial(why_not_tree, schema, sentence, grammar, budget=budget),
        " while reasons were looked for",
    )
    found, stopped = c.heeding(c.answering(budget), time.perf_counter(), when, map(tell, [heads]))
    if stopped is not None:
        if arguments.json:
            c.print_json({"stopped": stopped})
        return 130 if stopped == "interrupt" else 2
    (answer,) = found
    c.answer(arguments, answer.to_json, partial(text_of, answer))
    return 0 if answer.derivable else 1


@c.command(
    c.ONE_RUN,
    c.number(
        "--max-n",
        "N",
        "measure the Python kernel on the first N words (default: as many as make 200,000 step instances)",
        above=0,
    ),
    c.number("--plans", "N", "show the plans of N steps (default 5)", 5, above=-1),
    c.flag("--ascii", "keep to ASCII characters in the table"),
)
def profile(arguments: Namespace) -> int:
    """Profile a schema on a sentence: instances, time and join selectivity of every step, and the plan in words.

    Shares of the time and candidates are measured in the kernel that Python runs; of a long sentence, on a beginning.
    What the engine takes that runs the schema stands beside.
    """
    from schemata.analysis.figures import warnings_of
    from schemata.display.profile import profile_text

    schema = c.chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = c.chosen_grammar(schema, arguments)
    sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
    budget = c.chosen_budget(arguments)
    try:
        with ProgressBar(f"profiling {schema.name}"):
            result = schema.profile(sentence, grammar, budget, arguments.max_n)
    except Interrupted as stopped:
        report(*stopped.diagnostics)
        return 130
    if result.over is not None:
        report(*result.over.diagnostics)
    report(*warnings_of(result.chart))
    c.answer(arguments, result.to_json, partial(profile_text, result, plans=arguments.plans))
    return 0 if result.over is None else 2


@c.command(
    c.SCHEMA,
    c.flag(
        "--explain",
        "print in which order items can be completed, for every sentence length, and why that is so, "
        "or which step prevents an order",
    ),
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
        c.answer(arguments, lambda: source, lambda _: text.removesuffix("\n"))
        return 0
    from schemata.display import orders
    from schemata.order.cache import prove_order
    from schemata.order.model import Order
    from schemata.ordered.kernel import why_unused

    program = schema.kernel.program
    proof = prove_order(program, c.chosen_budget(arguments).left(time.perf_counter()))
    if isinstance(proof, Order):
        unused = why_unused(proof)
        order, told = orders.order_as_json(proof, unused), partial(orders.explain_order, proof, unused)
    else:
        order = orders.refusal_as_json(program, proof)
        told = partial(orders.explain_refusal, reference_of(schema.definition), order)
    c.answer(arguments, lambda: {**head, "order": order}, told)
    return 0 if order["proved"] else 1
