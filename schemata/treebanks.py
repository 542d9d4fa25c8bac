"""Treebanks: CoNLL-U files as streams of sentences, and structures in the formats of treebanks.

A broken sentence is a value in the stream, and the next one follows.

A file is split into blocks at blank lines first, so that every finding has its line and column.
Of a row its id, form, UPOS tag, head and label are used; the conllu library reads ids and heads. Multiword ranges
(``1-2``) and empty nodes (``8.1``) are checked for their place and left out.

Files may be packed by gzip. Reading is a stream over bytes, so that a file is never in memory at once and the line of a
byte that is not UTF-8 is known.
"""

from __future__ import annotations

import itertools
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from schemata.errors import Diagnostic, Location, TreebankError, UsageError
from schemata.kinds import StructureKind
from schemata.records import Record
from schemata.structures.graphs import DependencyGraph, DependencyTree, find_cycle
from schemata.structures.sentence import Sentence
from schemata.structures.word_graphs import OnPath
from schemata.text_files import SHOWN, decode, unreadable
from schemata.thresholds import REFUSALS

Line = tuple[int, str]  # 1-based line number, text without its line end


def read_blocks(path: str | PathLike[str]) -> Iterator[list[Line]]:
    """Yield the blocks of a file that hold at least one line besides comments; bytes that are not text as surrogates.

    Raises
    ------
    TreebankError : the file cannot be opened, or has a line over 1 MiB.
    """
    for first, block in _raw_blocks(path):
        if _has_rows(block):
            yield [*enumerate(b"\n".join(block).decode(errors="surrogateescape").split("\n"), first)]


_STRANGE = re.compile("[\0\ufeff\udc80-\udcff]")  # characters of lines that are not text, or that have a mark


def _readable(file: str, block: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of a block without byte order marks.

    Raises
    ------
    TreebankError : a line is binary or not UTF-8.
    """
    if not _STRANGE.search("\n".join(text for _, text in block)):
        return block
    expected, raw = "CoNLL-U text in UTF-8", ((k, text.encode(errors="surrogateescape")) for k, text in block)
    return [(k, decode(line, file, TreebankError, expected, k)) for k, line in raw]


def _has_rows(block: list[bytes]) -> bool:
    return any(not raw.removeprefix(BOM_UTF8).startswith(b"#") for raw in block)


_PACK = "pack it again: gzip FILE.conllu"


def _unpacked(stream: BufferedReader) -> BinaryIO:
    """Return a stream of bytes, decompressed if gzip has compressed it."""
    if stream.peek(2)[:2] != b"\x1f\x8b":
        return stream
    import gzip

    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def _raw_blocks(path: str | PathLike[str]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the blocks between blank lines, as the number of the first line, and the lines."""
    file = fspath(path)
    number, block = 0, list[bytes]()
    try:
        with Path(path).open("rb") as file_stream, _unpacked(file_stream) as stream:
            while raw := stream.readline(REFUSALS.treebank_line + 1):
                number += 1
                if len(raw) > REFUSALS.treebank_line:
                    message = f"a line of more than {REFUSALS.treebank_line} bytes"
                    expected = "one word per line, ten columns separated by tabs"
                    hint = "is this a CoNLL-U file, and are its line ends \\n or \\r\\n?"
                    shown = raw[: 4 * SHOWN].decode("utf-8", "replace")[:SHOWN]
                    place = Location(file, number, 1)
                    raise TreebankError(Diagnostic("line-too-long", message, place, expected, hint, shown))
                if number == 1:
                    raw = raw.removeprefix(BOM_UTF8)
                if raw.strip():
                    block.append(raw.rstrip(b"\r\n"))
                elif block:
                    yield number - len(block), block
                    block = []
    except (EOFError, zlib.error) as problem:
        message = f"the compressed file is broken: {problem}"
        place, expected = Location(file, number + 1, 1), "a whole gzip file"
        raise TreebankError(Diagnostic("broken-gzip", message, place, expected, _PACK, "")) from None
    except (OSError, ValueError) as problem:
        raise TreebankError(unreadable(file, problem, "a CoNLL-U file", ".conllu", number + 1)) from problem
    if block:
        yield number - len(block) + 1, block


_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_OF_CONLL_X = 8  # columns of files of the CoNLL-X task without projective heads
_ID, _FORM, _UPOS, _HEAD, _DEPREL = 0, 1, 3, 6, 7
_DIGITS = frozenset("0123456789")
_NUMBERS = {str(number): number for number in range(1000)}  # as mostly written: the library takes longer

_NUMBERING = "the words of a sentence are numbered 1, 2, 3 and so on"
_RANGES = "a multiword range names the first and the last word it covers"
_EMPTY_NODES = "the empty nodes after word 8 are 8.1, 8.2 and so on"


class TokenLine(NamedTuple):
    """A line of a sentence that is not a comment, split at its tabs."""

    file: str
    line: int
    text: str
    columns: list[str]

    def broken(self, column: int, code: str, message: str, expected: str, hint: str) -> TreebankError:
        """Return the error that marks one column of the row."""
        start = min(1 + sum(len(c) + 1 for c in self.columns[:column]), len(self.text) + 1)
        value = self.columns[column] if column < len(self.columns) else ""
        place = Location(self.file, self.line, start, start + max(1, len(value)))
        return TreebankError(Diagnostic(code, message, place, expected, hint, self.text))


def _values(row: TokenLine, due: int) -> tuple[Any, int | None]:
    """Return a row's id, as the library reads it, and its head; raise if they are malformed, or columns
    are missing.
    """
    columns = row.columns
    if (count := len(columns)) != due:
        message = f"{count} column{'s' if count > 1 else ''} instead of {due}"
        hint = "columns are separated by single tabs; an unknown value is written _"
        if count == 1 and " " in row.text.strip() and not row.text.lstrip()[:1].isdigit():
            hint = "plain text is not a treebank: give the words on the command line, schemata run NAME 'the cat sat'"
            if row.text.lstrip().startswith("("):
                hint = (
                    "bracketed trees: coverage FILE --brackets, or grammar extract FILE --kind context-free"
                )
        named = f"{'ten' if due == len(_COLUMNS) else 'eight'} columns: {' '.join(_COLUMNS[:due])}"
        raise row.broken(min(count, due), "wrong-column-count", message, named, hint)
    number, head = _NUMBERS.get(columns[_ID]), _NUMBERS.get(columns[_HEAD])
    if number is None:
        number = _read(row, _ID, "parse_id_value", _bad_id)
    if head is None:
        head = _read(row, _HEAD, "parse_int_value", _bad_head)
    if number is None:
        raise _bad_id(row)
    if not columns[_FORM].strip():
        hint = "an unknown form is written _"
        raise row.broken(_FORM, "blank-form", "the word form is blank", "a word form", hint)
    return number, head


def _read(row: TokenLine, column: int, parse: str, refused: Callable[[TokenLine], TreebankError]) -> Any:
    """Return the value of a column as a function of the library reads it."""
    from conllu import parser
    from conllu.exceptions import ParseException

    try:
        return getattr(parser, parse)(row.columns[column])
    except (ParseException, ValueError) as problem:  # ValueError: a number with thousands of digits
        raise refused(row) from problem


def _bad_id(row: TokenLine) -> TreebankError:
    value = row.columns[_ID]
    numbered = value[:1] in _DIGITS
    if numbered and "-" in value:
        message = f"{value!r} is not a range of words"
        return row.broken(_ID, "bad-range", message, "first-last, such as 3-4", _RANGES)
    if numbered and "." in value:
        message = f"{value!r} is not the id of an empty node"
        return row.broken(_ID, "bad-empty-node", message, "word.number, such as 8.1", _EMPTY_NODES)
    message = f"{value!r} is not the id of a word" if value else "the id is blank"
    expected = "a whole number, a range such as 3-4, or an empty node such as 8.1"
    return row.broken(_ID, "bad-id", message, expected, _NUMBERING)


def _bad_head(row: TokenLine) -> TreebankError:
    value = row.columns[_HEAD]
    message = f"the head {value!r} is not a whole number" if value.strip() else "the head is blank"
    expected = "the id of a word, 0 for a root, or _"
    return row.broken(_HEAD, "bad-head", message, expected, "HEAD is the seventh column")


def words_of(rows: Sequence[TokenLine]) -> tuple[list[TokenLine], list[int | None]]:
    """Return the rows of syntactic words, and their heads, None if unknown.

    Raises
    ------
    TreebankError : ids are not 1..n in order, or ranges or empty nodes out of place.
    """
    words, heads = list[TokenLine](), list[int | None]()
    covered, range_row = 0, rows[0]
    empty_nodes = 0
    width = _OF_CONLL_X if len(rows[0].columns) == _OF_CONLL_X else len(_COLUMNS)
    for row, (number, head) in [(row, _values(row, width)) for row in rows]:
        due = len(words) + 1
        match number:
            case int():
                if number != due:
                    message = f"word {number} stands where word {due} is due"
                    raise row.broken(_ID, "bad-id", message, f"the id {due}", _NUMBERING)
                words.append(row)
                heads.append(head)
                empty_nodes = 0
            case (first, "-", last):
                _check_range(row, first, due, covered)
                covered, range_row = last, row
            case (after, ".", place):
                empty_nodes += 1
                if (after, place) != (due - 1, empty_nodes):
                    right = f"{due - 1}.{empty_nodes}"
                    message = f"empty node {after}.{place} stands where {right} is due"
                    raise row.broken(_ID, "bad-empty-node", message, f"the id {right}", _EMPTY_NODES)
    if not words:
        hint = "a range or an empty node alone is not a sentence"
        raise rows[0].broken(_ID, "no-words", "the sentence has no words", "a word with id 1", hint)
    if covered > len(words):
        message = f"the range ends at word {covered}, but the last word is {len(words)}"
        raise range_row.broken(_ID, "bad-range", message, f"an end of at most {len(words)}", _RANGES)
    return words, heads


def _check_range(row: TokenLine, first: int, due: int, covered: int) -> None:
    if first != due:
        message = f"the range starts at word {first}, but the next word is {due}"
        hint = "a multiword range stands just before its first word"
        raise row.broken(_ID, "bad-range", message, f"a start of {due}", hint)
    if first <= covered:
        message = f"word {first} is in the range before this one already"
        hint = "multiword ranges do not overlap"
        raise row.broken(_ID, "bad-range", message, f"a start above {covered}", hint)


def heads_of(words: Sequence[TokenLine], known: Sequence[int | None]) -> tuple[int, ...] | None:
    """Return the heads, None if no word has one; raise unless they make a tree."""
    n = len(words)
    heads = tuple(head for head in known if head is not None)
    if not heads:
        return None
    for d, head in enumerate(known, start=1):
        if head is None:
            message = f"word {d} has no head, but other words have one"
            hint = "give every word its head, or _ to all of them if the sentence has no tree"
            raise words[d - 1].broken(_HEAD, "partial-heads", message, f"a head from 0 to {n}", hint)
        if not 0 <= head <= n:
            message = f"word {d} has head {head}, but the last word is {n}"
            hint = "a head is the id of a word of the same sentence, 0 for a root"
            raise words[d - 1].broken(_HEAD, "head-out-of-range", message, f"a head from 0 to {n}", hint)
        if head == d:
            message = f"word {d} is its own head"
            raise words[d - 1].broken(_HEAD, "own-head", message, "another word, or 0", "a root has head 0")
    # Heads without a root always make a cycle too; what the annotator forgot is the root.
    if 0 not in heads:
        message, hint = "no word has head 0", "a root has head 0"
        raise words[0].broken(_HEAD, "no-root", message, "a word with head 0", hint)
    if cycle := find_cycle(heads):
        message = f"the heads make a cycle: {' -> '.join(map(str, cycle))}"
        hint = "following heads from any word must lead to a root"
        raise words[cycle[0] - 1].broken(_HEAD, "cycle", message, "heads that make a tree", hint)
    return heads


class BrokenSentence(Record):
    """A sentence of a treebank that cannot be used, and why.

    Parameters
    ----------
    diagnostic : the first thing found wrong with it.
    name : its sent_id, or None if it has none.
    line : the line its first row stands at in its file.
    """

    diagnostic: Diagnostic
    name: str | None
    line: int


def read_conllu(
    path: str | PathLike[str], *, with_heads: bool = False
) -> Iterator[Sentence | BrokenSentence]:
    """Yield the sentences of a CoNLL-U file in order, the broken ones as `BrokenSentence`.

    A sentence none of whose words has a head (``_``) is read without a gold tree; one none of whose words
    has a UPOS tag, without tags; one without any DEPREL, without labels. Several words may have head 0. Rows have
    ten columns, or all rows of a sentence have the first eight, as in files of the CoNLL-X task. A byte order mark,
    Windows line ends, a missing last line end and blocks of comments alone are accepted. A
    sentence with bytes that are not UTF-8 is a broken one.

    Parameters
    ----------
    path : the file, UTF-8.
    with_heads : a sentence without a gold tree is broken, too.

    Raises
    ------
    TreebankError : when reading comes to it: the file cannot be opened, or has a line over 1 MiB.
    """
    file = fspath(path)
    for block in read_blocks(path):
        yield _read_block(file, block, with_heads)


def with_other_trees(
    path: str | PathLike[str], change: Callable[[DependencyTree], DependencyTree]
) -> Iterator[tuple[str, DependencyTree, DependencyTree] | BrokenSentence]:
    """Yield the sentences of a CoNLL-U file with other trees: the text, the tree and the other one; broken ones too.

    The rest of the text is as in the file. Sentences without a tree are broken ones.

    Raises
    ------
    TreebankError : as `read_conllu`.
    """
    file = fspath(path)
    for block in read_blocks(path):
        sentence = _read_block(file, block, with_heads=True)
        if isinstance(sentence, BrokenSentence):
            yield sentence
        else:
            tree = DependencyTree(sentence.heads or (), sentence.labels)
            other = change(tree)
            new = zip(other.heads, other.labels or ("_",) * len(other), strict=True)
            lines = []
            for _, text in _readable(file, block):
                columns = text.split("\t")
                if not text.startswith("#") and columns[_ID].isdecimal():
                    head, label = next(new)
                    columns[_HEAD : _DEPREL + 1] = [str(head), label or "_"]
                lines.append("\t".join(columns) + "\n")
            yield "".join(lines) + "\n", tree, other


class Blocks(Record):
    """Sentences of a file as written, to be sent to the process that reads them.

    Parameters
    ----------
    file : the file.
    first : the number of the first sentence in the file, from 1.
    blocks : the lines of each sentence.
    """

    file: str
    first: int
    blocks: list[list[Line]]

    def sentences(self) -> Iterator[tuple[int, Sentence | BrokenSentence]]:
        """Yield the sentences with their numbers."""
        for number, block in enumerate(self.blocks, start=self.first):
            yield number, _read_block(self.file, block)


def read_parts(path: str | PathLike[str], size: int) -> Iterator[Blocks]:
    """Yield the sentences of a file unread, so many at a time.

    Raises
    ------
    TreebankError : as `read_conllu`, after the sentences before the fault.
    """
    file, first, blocks = fspath(path), 1, read_blocks(path)
    problem: TreebankError | None = None
    while problem is None:
        kept: list[list[Line]] = []
        try:
            kept.extend(itertools.islice(blocks, size))
        except TreebankError as error:
            problem = error
        if kept:
            yield Blocks(file, first, kept)
        elif problem is None:
            return
        first += size
    raise problem


def count_sentences(path: str | PathLike[str]) -> int | None:
    """Return how many values `read_conllu` yields for a file.

    None for a pipe or a terminal, whose lines would be lost by counting them.

    Raises
    ------
    TreebankError : the file cannot be opened, or has a line over 1 MiB.
    """
    if Path(path).is_fifo() or Path(path).is_char_device():
        return None
    return sum(_has_rows(block) for _, block in _raw_blocks(path))


def parsed_rows(file: str, block: Sequence[Line]) -> tuple[str | None, list[TokenLine]]:
    """Return the sent_id of a sentence, and its rows, split at tabs and not yet checked.

    Raises
    ------
    TreebankError : a line is binary or not UTF-8.
    """
    block = _readable(file, block)
    rows = [TokenLine(file, line, text, text.split("\t")) for line, text in block if not text.startswith("#")]
    return _name(block), rows


def _name(block: Sequence[Line]) -> str | None:
    name = None
    for _, text in block:
        if text.startswith("#"):
            key, _, value = text[1:].partition("=")
            name = value.strip() or name if key.strip() == "sent_id" else name
    return name


def _read_block(file: str, block: Sequence[Line], with_heads: bool = False) -> Sentence | BrokenSentence:
    name, first = _name(block), next((line for line, text in block if not text.startswith("#")), 1)
    try:
        name, rows = parsed_rows(file, block)
        words, known = words_of(rows)
        heads = heads_of(words, known)
        if with_heads and heads is None:
            hint = "give every word its head in the seventh column"
            raise words[0].broken(
                _HEAD, "no-heads", "the sentence has no heads", "heads that make a tree", hint
            )
    except TreebankError as broken:
        return BrokenSentence(broken.diagnostics[0], name, first)
    columns = [[*column] for column in zip(*(word.columns for word in words), strict=True)]
    forms = tuple(re.sub(" {2,}", " ", form) if "  " in form else form for form in columns[_FORM])
    tags = tuple(tag or "_" for tag in columns[_UPOS])
    labels = tuple("" if label == "_" else label for label in map(str.strip, columns[_DEPREL]))
    named: Any = {"name": name, "line": words[0].line, "labels": labels if any(labels) else None}
    return Sentence(forms, tags if set(tags) != {"_"} else None, heads, **named)


def check_format(name: str, structure: StructureKind) -> None:
    """Check that a format is for a kind of structures.

    Raises
    ------
    UsageError : it is not.
    """
    if name not in structure.formats:
        fitting = " or ".join(structure.formats)
        hint = f"--export {fitting}" if fitting else "--json has structures of all kinds"
        raise UsageError(f"the format {name} has no {structure}s", code="bad-option", hint=hint)


def exported(sentence: Sentence, structure: Any, name: str, number: int = 1) -> str:
    """Return a structure of a sentence in a format, without a line end.

    Parameters
    ----------
    sentence : the sentence.
    structure : its structure.
    name : one of `FORMATS`.
    number : its place, from 1, among those that are exported.

    Raises
    ------
    UsageError : the format cannot have such structures: brackets cannot have gaps.

    >>> print(exported(Sentence.of("a cat"), DependencyTree((2, 0)), "conllu").replace(chr(9), " "))
    # text = a cat
    1 a _ _ _ _ 2 dep _ _
    2 cat _ _ _ _ 0 root _ _
    <BLANKLINE>
    """
    match structure:
        case OnPath(_, of_path, inner):
            return exported(of_path, inner, name, number)
        case DependencyTree() | DependencyGraph() if name == "conllu":
            return _conllu(sentence, structure)
        case object(in_format=text):
            return str(text(name, number))
    raise UsageError(f"the format {name} has no such structures", code="bad-option")


def _conllu(sentence: Sentence, structure: DependencyTree | DependencyGraph) -> str:
    """Return a tree with its heads, or a graph as enhanced dependencies, with an empty line at the end."""
    lines = [] if sentence.name is None else [f"# sent_id = {sentence.name}"]
    lines.append(f"# text = {' '.join(sentence.words)}")
    for k, word in enumerate(sentence.words, start=1):
        tag, features = sentence.tags[k - 1] if sentence.tags else "_", "_"
        if isinstance(structure, DependencyTree) and structure.tags:
            tag = structure.tags[k - 1] or tag
        if isinstance(structure, DependencyTree) and structure.features:
            features = structure.features[k - 1] or "_"
        if isinstance(structure, DependencyTree):
            head, label = structure.heads[k - 1], structure.labels[k - 1] if structure.labels else ""
            columns = [str(head), label or ("dep" if head else "root"), "_"]
        else:
            links = [tuple(link) for link in structure.to_json() if link[0] == k]
            heads = sorted((h, *labels, "dep" if h else "root")[:2] for _, h, *labels in links)
            columns = ["_", "_", "|".join(f"{h}:{label}" for h, label in heads) or "_"]
        lines.append("\t".join([str(k), word, "_", tag, "_", features, *columns, "_"]))
    return "\n".join([*lines, ""])
