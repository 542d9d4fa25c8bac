"""Lexers for Pygments: schema and relation files, and the files of grammars; registered as entry points.

Sites, notebooks and LaTeX (minted) colour files of schemata with them: `pygmentize -l schema FILE`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from schemata.kinds import DECLARED
from schemata.language.pieces import RELATION_KEYWORDS, SCHEMA_KEYWORDS

__all__ = ["GrammarLexer", "SchemaLexer"]  # Pygments looks for it

_KEYWORDS = sorted((*SCHEMA_KEYWORDS.words, *RELATION_KEYWORDS.words), key=len, reverse=True)
_DECLARATIONS = "|".join(keyword.replace(" ", r"\s+") for keyword in _KEYWORDS)
_TYPES = [
    "position",
    "integer",
    "flag",
    "symbol",
    "intervals",
    "arcs",
    "labels",
    "list",
    "dotted",
    "double-dotted",
]
_CONDITIONS = [
    "where",
    "given",
    "case",
    "attach",
    "link",
    "licensed",
    "builds",
    "category",
    "corner",
    "disjunct",
    "join",
    "root",
    "head",
    "rule",
    "is",
    "in",
    "not",
    "and",
    "or",
    "minus",
    "to",
    "of",
    "by",
    "if",
    "from",
    "extends",
    "empty",
    "absent",
    "present",
    "length",
    "weight",
    "over",
    "under",
    "matches",
    "composed",
    "for",
    "every",
    "beginning",
    "ending",
    "with",
    "covers",
]


class SchemaLexer(RegexLexer):  # type: ignore[misc]
    """Colours schema files and relation files."""

    name = "Parsing schema"
    aliases: ClassVar = ["schema", "relation"]
    filenames: ClassVar = ["*.schema", "*.relation"]
    url = "https://pypi.org/project/parsing-schemata/"
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"#.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"^(\s*)(schema|step|mirror step|part|relation|replace step)(\s+)([^\s(#][^(#\n]*)",
             bygroups(Text, Keyword.Declaration, Text, Name.Class)),
            (rf"^(\s*)({_DECLARATIONS})(?![\w'-])", bygroups(Text, Keyword.Declaration)),
            (r"^\s*[-\u2500]{3,}", Operator.Word),
            (words(DECLARED, prefix=r"(?<=grammar )", suffix=r"\b"), Name.Constant),
            (r"([^\W\d_]\w*'*)(\s*)(\[)", bygroups(Name.Function, Text, Punctuation)),
            (r"(:)([^\S\n]*)(trees?)(?=\s)", bygroups(Punctuation, Text, Keyword)),  # of a claim about items
            (r"^([^\S\n]+)(trees?)(?=\s)", bygroups(Text, Keyword)),
            (
                r"(?<![\w'-])(projective|well-nested|1ec|covington-lsup|head-first|(gap-degree|mg|length)-\w+)(?![\w'-])",
                Name.Constant,
            ),
            (r"(:)(\s*)(" + "|".join(_TYPES) + r")\b", bygroups(Punctuation, Text, Keyword.Type)),
            (r"(?<=list of )position|(?<=dotted )rule\b", Keyword.Type),
            (words(_CONDITIONS, prefix=r"(?<![\w'])", suffix=r"(?![\w'])"), Keyword),
            (words(("true", "false"), suffix=r"\b"), Keyword.Constant),
            (r"\*[^\W\d]\w*'*", Name.Variable),
            (r"\d+(\.\d+)?", Number),
            (r"[^\W\d_]\w*'*", Name),
            (r"<=|>=|!=|==|\.\.|[-+*/=<>~•·.∧∨¬≤≥≠∈∉]", Operator),
            (r"[\[\](),;|?:{}]", Punctuation),
            (r"\n|[^\S\n]+", Text),  # a line begins anew, for the rules that look there
            (r".", Text),
        ]
    }  # fmt: skip


class GrammarLexer(RegexLexer):  # type: ignore[misc]
    """Colours D-rules, dependency rules, context-free grammars and facts."""

    name = "Grammar of a parsing schema"
    aliases: ClassVar = ["drules", "deprules", "cfg", "facts"]
    filenames: ClassVar = ["*.drules", "*.deprules", "*.cfg", "*.facts"]
    url = "https://pypi.org/project/parsing-schemata/"
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"#.*$", Comment.Single),
            (r'"[^"\n]*"|\'[^\'\n]*\'', String),
            (r"^(\s*)(root|head|start|tag)\b", bygroups(Text, Keyword.Declaration)),
            (r"\b(takes|on|the|left|right|either|side|within|any)\b", Keyword),
            (r"\[(log\s+)?-?[\d.]+\]", Number),
            (r"->|→|[:|*^/=]", Operator),
            (r"([^\W\d_][\w-]*)(\()", bygroups(Name.Function, Punctuation)),
            (r"\d+(\.\d+)?", Number),
            (r"[^\W\d_][\w'-]*", Name),
            (r"[()\[\],<>]", Punctuation),
            (r"\n|[^\S\n]+", Text),  # a line begins anew, for the rules that look there
            (r".", Text),
        ]
    }
