"""Notations of papers and other languages, and their equivalents in the language of schemata.

Nothing here is accepted: these are the hints of findings about texts that do not parse or use undeclared names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from schemata.kinds import GRAMMAR_SUFFIXES

_KEYWORDS = {
    **dict.fromkeys(("axiom", "axioms", "hypotheses", "init", "initial", "start"), "hypothesis"),
    **dict.fromkeys(("goal", "goals", "goal item", "accept", "accepting", "answer", "end"), "final"),
    **dict.fromkeys(("rule", "inference", "deduction", "infer", "operation", "transition"), "step"),
    **dict.fromkeys(("form", "items", "domain", "chart"), "item"),
    **dict.fromkeys(("algorithm", "parser", "system", "name"), "schema"),
    **dict.fromkeys(("author", "paper", "reference", "cite"), "source"),
}
_TYPES = {
    **dict.fromkeys(
        ("string", "str", "char", "category", "nonterminal", "terminal", "label", "tag", "cat"), "symbol"
    ),
    **dict.fromkeys(("index", "idx", "pos", "nat", "word", "node", "vertex", "span"), "position"),
    **dict.fromkeys(
        ("int", "number", "num", "count", "long"), "position, or integer for numbers that are not positions"
    ),
    **dict.fromkeys(("bool", "boolean", "bit"), "flag"),
    **dict.fromkeys(("array", "stack", "sequence", "tuple", "buffer", "queue"), "list of position"),
    **dict.fromkeys(("rule", "production"), "dotted rule"),
}
_GRAMMARS = {
    **dict.fromkeys(
        ("cfg", "contextfree", "context_free", "cnf", "pcfg", "phrase-structure"), "context-free"
    ),
    **dict.fromkeys(("lg", "link", "linkgrammar", "link_grammar"), "link-grammar"),
    **dict.fromkeys(("dependency", "drules", "d_rules", "projective", "bilexical"), "d-rules"),
    **dict.fromkeys(("deprules", "dependency_rules", "dependency-grammar"), "dependency-rules"),
    **dict.fromkeys(("tag", "ccg", "lcfrs", "itg", "fsa", "mcfg"), "facts"),
}
_GREEK = dict(zip("αβγδεζηθλμνξπρσςτφχψω", (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "lambda", "mu", "nu", "xi", "pi", "rho",
    "sigma", "sigma", "tau", "phi", "chi", "psi", "omega"
), strict=True))  # fmt: skip
_ARROW = re.compile(r"[\])]\s*(->|→|⟶|=>|⇒|⊢|\|-|:-|<-|←)")
_DOTS = re.compile(r"[•·∙⋅●]")
_ITEM = re.compile(r"\s*item\s+([^\W\d_]\w*'*)\s*\[([^\]]*)\]")
_ITEMS = ("the consequent", "the antecedent", "the item", "the final")
_FIELDS = "an item has its fields in square brackets, such as span[1, 2]"
_FIELD = re.compile(r"([^\W\d_]\w*'*)\s*(:.*)?")


def keyword_meant(word: str) -> str | None:
    """Return the keyword for a paper's word, such as `axiom` or `goal`; None for any other word.

    >>> keyword_meant("axiom"), keyword_meant("span")
    ('hypothesis', None)
    """
    return _KEYWORDS.get(word.casefold())


def type_meant(word: str) -> str | None:
    """Return the hint for a type named as in other languages; None for any other word.

    >>> type_meant("bool")
    'write flag'
    """
    meant = _TYPES.get(word.casefold())
    return f"write {meant}" if meant else None


def grammar_meant(word: str) -> str | None:
    """Return the hint for a kind of grammar under another name; None for any other word.

    >>> grammar_meant("CFG")
    'write grammar context-free'
    """
    stem, _, suffix = word.rpartition(".")
    if stem and (kind := GRAMMAR_SUFFIXES.get(f".{suffix}")):
        return f"write grammar {kind}: the file is named when it is run, --grammar {word}"
    meant = _GRAMMARS.get(word.casefold())
    return f"write grammar {meant}" if meant else None


def rule_text(category: str, body: str) -> str:
    """Return a rule of a grammar as schemata write it, from the two sides of its arrow.

    >>> rule_text("A", "α • B beta"), rule_text("S", "NP VP")
    ('A(*alpha . B *beta)', 'S(NP VP)')
    """
    words = _DOTS.sub(" . ", re.sub(r"([^\s.])\.|\.(?=[^\s.])", r"\1 . ", body)).split()
    named = [_GREEK.get(word, word) for word in words]
    return f"{category}({' '.join(f'*{x}' if x in _GREEK.values() else x for x in named)})"


def hint_at(line: str, column: int, what: str, text: Iterable[str]) -> str | None:
    """Return the hint for the foreign notation at which parsing stopped; None if it is not a familiar
    one.

    Parameters
    ----------
    line, column : where parsing stopped: the line, and the column of the symbol from 0 (its length at the end).
    what : the piece that does not parse, as messages name it: "the item", "the condition".
    text : the lines of the whole file, in which items have their names.
    """
    before, after = line[:column].rstrip(), line[column:]
    for hint in (_item, _rule, _condition, _sign):
        found = hint(before, after, what, list(text))
        if found is not None:
            return found
    return None


def _form(text: list[str]) -> str:
    return next((found[1] for line in text if (found := _ITEM.match(line))), "span")


def _item(before: str, after: str, what: str, text: list[str]) -> str | None:
    if after.startswith("[") and re.search(r"(^|\]|\bitem|\bfinal|\bhypothesis|\bgiven|,)\s*$", before):
        inside = after[1:].partition("]")[0].strip()
        form = _form(text)
        return f"every item has a name before its bracket: {form}[{inside}]"
    if after.startswith("(") and what in _ITEMS:
        name = re.search(r"[^\W\d_]\w*'*$", before)
        if name:
            return f"items have square brackets: {name[0]}[{after[1:].partition(')')[0]}]"
    if what == "the item" and (fields := re.search(r"([^\W\d_]\w*'*)\s*\[([^\]]*)\]", before + after)):
        parts = [part.strip() for part in re.split("[,;]", fields[2])]
        named = [found for part in parts if (found := _FIELD.fullmatch(part))]
        if len(named) == len(parts) and not all(found[2] for found in named):
            kinds = ("symbol" if found[1][0].isupper() else "position" for found in named)
            typed = (
                found[0] if found[2] else f"{found[1]}: {k}" for found, k in zip(named, kinds, strict=True)
            )
            return f"every field has a type: item {fields[1]}[{', '.join(typed)}]"
    if after.startswith(":") and not before and what in ("the item", "the final", "the hypothesis"):
        return f"no colon stands behind the word {what.removeprefix('the ')}"
    fields_typed = r"([^\W\d_]\w*'*)\[[^\]]*$"
    if (
        after.startswith(":")
        and what != "the item"
        and what in _ITEMS
        and (name := re.search(fields_typed, before))
    ):
        return f"types stand where {name[1]} is declared, and not here"
    if after.startswith("+") and (name := re.search(r"(\w+)\s*\+$", before)):
        return f"write {name[1]} + 1"
    if what == "the item" and (kind := re.search(r"[\[,]\s*(symbol|position|flag|integer)$", before)):
        name = re.match(r"[^\W\d_]\w*'*", after)
        return f"the name comes first, then its type: {name[0] if name else 'i'}: {kind[1]}"
    if after.strip() == ":" and what == "the antecedent":
        return f"items stand without their weights, which are those of the grammar: {_form(text)}[...]"
    if (
        after.startswith(("<", "(", "⟨"))
        and what in _ITEMS
        and not before
        and (end := re.search(r"[>)⟩]\s*$", after))
    ):
        return f"items have names and square brackets: {_form(text)}[{after[1 : end.start()]}]"
    if what == "the consequent" and before.endswith("]") and re.match(r":=|\+=|←|=(?![=>])", after):
        return "the consequent is an item alone; the items that it follows from stand above the line"
    if before == "" and re.match(r"rule\b.*(->|→)", after):
        return "rules of a grammar stand in a file of their own: --grammar FILE.cfg"
    if what == "the consequent" and re.match(r"\s*(rule|attach|link|category|root)$", before):
        return "conditions stand beside the line of dashes, not below it"
    if after.startswith("..") and (name := re.search(r"([^\W\d_]\w*'*)\[([^\[]*)$", before)):
        low, high = name[2].strip(), after[2:].partition("]")[0].strip()
        return f"a range is a condition: {name[1]}[i]  where {low} <= i <= {high}"
    if after.startswith(",") and before.endswith("]") and what in ("the final", "the hypothesis"):
        return f"each has a line of its own, which begins with the word {what.removeprefix('the ')}"
    if what == "the antecedent" and re.search(r"\]\s*(and|&&?)$", before):
        return "antecedents stand side by side, with blanks between them, without and"
    if what == "the item" and not after.strip() and (name := re.search(r"([^\W\d_]\w*'*)$", before)):
        declared = any(re.match(rf"\s*item\s+{name[1]}\b", line) for line in text)
        return f"an item has at least one field: item {name[1]}[i: position]" if declared else _FIELDS
    return None


def _rule(before: str, after: str, what: str, text: list[str]) -> str | None:
    whole = f"{before} {after}"
    head = re.search(r"(\brule\s+)?([^\W\d_]\w*'*)$", before)
    if head and (arrow := re.match(r"(?:->|→|⟶)\s*([^,\]\[]*)", after)):
        is_rule = (
            head[1] or what in ("the antecedent", "the consequent") or not after[2:].strip().isidentifier()
        )
        written = rule_text(head[2], arrow[1].strip())
        if is_rule and what == "the condition":
            return f"rules have brackets in place of the arrow: rule {written}"
        if is_rule:
            return f"dotted rules have brackets, and * before a name for any symbols: {written}"
        return f"a link is written: attach {arrow[1].strip()} to {head[2]}"
    if after.startswith(":") and head and head[1]:
        return f"rules have brackets: rule {rule_text(head[2], after[1:].partition(',')[0].strip())}"
    if after.startswith("|") and re.search(r"\brule\s+\w+'*\([^()]*$", before):
        return "a condition names one rule: write two steps, or a variable for the symbol"
    if after.startswith(",") and (inside := re.search(r"\brule\s+([^\W\d_]\w*'*)\(([^()]*)\)", whole)):
        symbols = " ".join(re.split("[ ,]+", inside[2].strip()))
        return f"symbols of a rule are separated by blanks: rule {inside[1]}({symbols})"
    return None


def _condition(before: str, after: str, what: str, text: list[str]) -> str | None:
    whole = f"{before} {after}"
    if (word := re.search(r"\brule\s+([^\W\d_]\w*'*)\(\w+$", before)) and (
        place := re.match(r"\[(\w+)\]", after)
    ):
        return f"a word stands for its place, and has categories: category {place[1]} is {word[1]}"
    if pair := re.search(r"\b(attach|link|licensed)\s*\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)\s*$", before):
        return f"write {pair[1]} {pair[2]} to {pair[3]}: the first is the dependent, the second its head"
    if one := re.search(r"\bcategory\s*\(?\s*([^()]*?)\s*\)?\s*(?:==?|:)\s*([^\s,]*)", whole):
        return f"write category {one[1]} is {one[2]}"
    if re.search(r"\bin$", before) and (ends := re.match(r"([\w +-]+)\.\.\.?([\w +-]+)", after)):
        return f"ranges have brackets, and one variable each: i in [{ends[1]}..{ends[2]}]"
    if re.search(r"\bcategory\s+\w+$", before) and (place := re.match(r"[\[(]\s*(\w+)\s*[\])]", after)):
        return f"a word stands for its place: category {place[1]} is A"
    if re.search(r"\bword$", before) and (place := re.match(r"(\w+) is (\w+)", after)):
        return f"write category {place[1]} is {place[2]}"
    if after.startswith(("for ", "∀")):
        return "write where 1 <= i <= n"
    if (
        what == "the condition"
        and after.startswith("{")
        and not re.search(r"\w_?$|[<>=≠]\s*$|\bin\s*$", before)
    ):
        return "conditions stand beside the line as they are, without { }"
    if re.search(r"(^|[-─,]\s*|^\s*)(if|when|where|with|such that|provided)$", before):
        return f"conditions stand beside the line as they are, without {before.rsplit(maxsplit=1)[-1]}"
    if after.startswith("{") and (name := re.search(r"(\w+?)_?\{(\w*)\}", before[-20:] + after)):
        return f"names are letters and digits: {name[1]}{name[2]}"
    if after.startswith("*") and (factor := re.search(r"(\d+)$", before)) and int(factor[1]) in (2, 3):
        name = re.match(r"\*\s*(\w+)", after)
        return f"there are no products: write {' + '.join([name[1] if name else 'i'] * int(factor[1]))}"
    if what == "the schema line" and after.startswith(")") and (name := re.search(r"(\w+)$", before)):
        return f"a parameter has a default: {name[1]} = 1"
    if what == "the schema line" and after[:1].isalnum() and not re.match(r"ext|wh|ex?te", after.casefold()):
        words = re.findall(r"\w+", whole)
        return f"a name is one word, with hyphens: schema {'-'.join(words).casefold()}"
    return None


def _sign(before: str, after: str, what: str, text: list[str]) -> str | None:
    if is_comment(after):
        return "comments begin with #"
    if after[:1] and after[0] in "“”„‘’«»":
        return 'these are quotes of a word processor: write "..."'
    return None


def arrow_in(line: str) -> str | None:
    """Return the arrow behind an item that marks a line as a step of its own; None if there is no such
    arrow.

    >>> arrow_in("span[i, j], span[j, k] -> span[i, k]"), arrow_in("span[i, j]   span[j, k]")
    ('->', None)
    """
    found = _ARROW.search(line)
    return found[1] if found else None


def name_of_step(line: str) -> str | None:
    """Return the name of a step that a line has in brackets, as papers write it; None for any other line.

    >>> name_of_step("  [Combine]"), name_of_step("(Scan):"), name_of_step("  span[i, j]")
    ('Combine', 'Scan', None)
    """
    found = re.fullmatch(r"\s*[\[(]([^\W\d_][\w-]*)[\])]:?\s*", line)
    return found[1] if found else None


def is_comment(text: str) -> bool:
    """Whether a text begins as comments do elsewhere.

    >>> is_comment("// a comment"), is_comment("-- one"), is_comment("# one")
    (True, True, False)
    """
    return text.lstrip().startswith(("//", "%", "/*", "--", "(*", ";;", '"""'))
