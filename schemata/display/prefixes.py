"""Prefixes in words: continuations, verdicts on the valid-prefix property, masks of another program."""

from __future__ import annotations

from schemata.display.terminal import PAGE, Page, table, wrapped
from schemata.verification.masks import MaskDifference, Masks
from schemata.verification.prefixes import NextWords, PrefixVerdict, WrongPrefix
from schemata.wording import named, quantity, stopped_by


def next_text(found: NextWords, page: Page = PAGE, limit: int = 30) -> str:
    """Return the text that `schemata next` prints: at most `limit` words."""
    prefix = " ".join(found.prefix)
    where = f"after {prefix!r}" if prefix else "at the beginning"
    lines = [f"{named(found.schema, found.parameters)}, {where}"]
    if found.valid is None:
        none = (
            f"no sentence of up to {quantity(found.room, 'word')} more begins so; --room N tries longer ones"
        )
        return "\n".join([*lines, "", *wrapped(none, page.width)])
    if not found.valid:
        return "\n".join([*lines, "", "no sentence of the grammar begins so"])
    weighed = found.weight is not None
    headers = ["word", *["categories"] * (found.categories is not None), *[">probability"] * weighed]
    rows = []
    for word in found.words[:limit]:
        row = [str(word), *[", ".join(word.categories)] * (found.categories is not None)]
        rows.append(row + [f"{word.probability or 0:.4g}"] * weighed)
    if rows:
        lines += ["", table(headers, rows, page)]
    if len(found.words) > limit:
        lines.append(f"and {quantity(len(found.words) - limit, 'word')} more (--limit)")
    end = "the sentence may end here" if found.sentence else "the sentence cannot end here"
    if found.sentence and found.end_probability is not None:
        end += f", with probability {found.end_probability:.4g}"
    lines += ["", end]
    if found.weight is not None:
        lines.append(f"weight of all sentences that begin so: {_weight(found.weight)}")
    if found.searched:
        lines += wrapped(
            f"looked for: sentences of up to {quantity(found.room, 'word')} more (--room)", page.width
        )
    if found.unconfirmed:
        note = f"accepted by items, but in no such sentence: {', '.join(found.unconfirmed)}"
        lines += wrapped(note, page.width)
    if found.unseen:
        same = "the items do not tell: they are the same whether this word stands there or not"
        note = f"{same}: {', '.join(found.unseen)}"
        lines += wrapped(note, page.width)
    return "\n".join(lines)


def _weight(weight: float) -> str:
    import math

    return f"{math.exp(weight):.4g}" if not 700 <= abs(weight) < math.inf else f"exp({weight:.4g})"


def prefix_verdict_text(verdict: PrefixVerdict, page: Page = PAGE) -> str:
    """Return the text that `schemata verify --prefix` prints."""
    name = named(verdict.schema, verdict.parameters)
    said = {True: f"yes, to {quantity(verdict.max_n, 'word')}", False: "no", None: "unknown"}
    tried = "the given grammar" if verdict.given else quantity(verdict.grammars, "small grammar")
    if verdict.complete_to and verdict.stopped:
        said[None] = f"unknown; to {quantity(verdict.complete_to, 'word')}, yes"
    lines = [
        f"{name}: the valid-prefix property, to {quantity(verdict.max_n, 'word')}",
        "",
        f"  accepts only prefixes of sentences  {said[verdict.only_valid]}",
        f"  accepts all prefixes of sentences   {said[verdict.all_valid]}",
        "",
        f"{tried}, {quantity(verdict.prefixes, 'prefix', 'prefixes')}"
        + ("" if verdict.given else f", seed {verdict.seed}"),
    ]
    if verdict.room is not None:
        lines.append(f"sentences of up to {quantity(verdict.room, 'word')} more")
    if verdict.stopped:
        lines.append(stopped_by(verdict.stopped))
    without = verdict.by_words
    longer = f"Accepted, and no sentence of up to {quantity(verdict.room or 0, 'word')} more begins so"
    for wrong, title in (
        (verdict.unsound, "Accepted, though no sentence begins so"),
        (verdict.unsettled, f"{longer}; --room N tries longer ones"),
        (verdict.incomplete, "Rejected: no item depends on the last word" if without else "Rejected"),
    ):
        if wrong is not None:
            lines += [
                "",
                *wrapped(title, page.width),
                *_wrong(wrong, "words" if without else "words of the categories"),
            ]
    return "\n".join(lines)


def _wrong(wrong: WrongPrefix, named: str) -> list[str]:
    lines = ["", *([f"rules {', '.join(wrong.rules)}"] if wrong.rules else [])]
    lines.append(f"{named} {' '.join(wrong.categories)}")
    if wrong.words:
        lines.append(f"such as {' '.join(wrong.words)}")
    if wrong.completion is not None:
        rest = " ".join(wrong.completion)
        lines.append(f"a sentence: followed by {rest}" if rest else "this is a sentence")
    return lines


def masks_text(masks: Masks, page: Page = PAGE) -> str:
    """Return the text that `schemata masks` prints."""
    how = f"{masks.systematic:,} systematically, all of at most {quantity(masks.complete_to, 'word')}"
    if masks.complete_to < 0:
        how = f"{masks.systematic:,} systematically"
    lines = [f"masks of {' '.join(masks.command)}", ""]
    lines += wrapped(f"{quantity(masks.prefixes, 'prefix', 'prefixes')} compared: {how}", page.width)
    if masks.agrees:
        lines.append("no mask differs")
    if masks.strict:
        lines.append(f"too strict at {masks.strict:,}: {quantity(masks.missing, 'word')} missing")
    if masks.loose:
        lines.append(f"too loose at {masks.loose:,}: {quantity(masks.extra, 'word')} too many")
    if masks.ends:
        lines.append(f"wrong about the end at {masks.ends:,}")
    if masks.problem is not None:
        lines += wrapped(f"given up: {masks.problem}", page.width)
    elif masks.stopped:
        lines.append(stopped_by(masks.stopped))
    if masks.differences:
        lines += ["", "The first differences"]
    for one in masks.differences:
        lines += ["", *_difference(one, page)]
    return "\n".join(lines)


def _difference(one: MaskDifference, page: Page) -> list[str]:
    lines = wrapped(repr(" ".join(one.prefix)) if one.prefix else "(the beginning)", page.width)
    for title, words in (("too strict, missing", one.missing), ("too loose, not allowed", one.extra)):
        if words:
            more = f", and {len(words) - 10:,} more" if len(words) > 10 else ""
            lines += wrapped(f"  {title}: {', '.join(words[:10])}{more}", page.width, hanging=4)
    if one.end is not None:
        lines.append(f"  the sentence {'may' if one.end else 'cannot'} end here")
    return lines
