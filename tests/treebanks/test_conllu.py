"""Reading CoNLL-U: what is read, and that broken sentences and files are named at their place."""

import csv
import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.errors import TreebankError
from schemata.structures import Sentence
from schemata.treebanks import BrokenSentence, count_sentences, read_conllu
from tests.oracle.trees import projective
from tests.structures.strategies import head_sequences
from tests.support import EWT, needs_treebanks
from tests.support.commands import Cli


def row(number, form, head, tag="X"):
    return "\t".join((str(number), form, "_", tag, "_", "_", str(head), "_", "_", "_"))


def written(tmp_path, text):
    path = tmp_path / "bank.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path, text):
    path = written(tmp_path, text)
    values = list(read_conllu(path))
    assert count_sentences(path) == len(values)
    return values


GOOD = "\n".join((row(1, "cats", 2, "NOUN"), row(2, "sleep", 0, "VERB")))


def test_a_sentence_with_everything(tmp_path):
    text = f"# newdoc\n# sent_id = s 1\n# text = cats  sleep\n{GOOD}\n\n"
    assert read(tmp_path, text) == [Sentence(("cats", "sleep"), ("NOUN", "VERB"), (2, 0), "s 1", 4)]


def test_eight_columns_as_in_the_conll_x_task(tmp_path):
    """Files of 2006 may leave out the projective heads; all rows of a sentence have as many columns."""
    eight = "\n".join(line.rsplit("\t", 2)[0] for line in GOOD.split("\n"))
    assert read(tmp_path, f"{eight}\n") == [Sentence(("cats", "sleep"), ("NOUN", "VERB"), (2, 0), None, 1)]
    first, second = eight.split("\n")[0], GOOD.split("\n")[1]
    (mixed,) = read(tmp_path, f"{first}\n{second}\n")
    assert isinstance(mixed, BrokenSentence)
    assert (mixed.diagnostic.code, mixed.diagnostic.location.line) == ("wrong-column-count", 2)
    assert "10 columns instead of 8" in mixed.diagnostic.message


def test_ranges_and_empty_nodes_are_left_out(tmp_path):
    lines = (
        row("0.1", "pro", "_"),
        row("1-2", "del", "_"),
        row(1, "de", 3),
        row("1.1", "a", "_"),
        row("1.2", "b", "_"),
        row(2, "el", 3),
        row("3-3", "mar", "_"),
        row(3, "mar", 0),
        row("3.1", "c", "_"),
    )
    (sentence,) = read(tmp_path, "\n".join(lines))
    assert sentence == Sentence(("de", "el", "mar"), ("X", "X", "X"), (3, 3, 0), None, 3)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD + "\n",
        GOOD + "\n\n\n\n",
        "\ufeff" + GOOD + "\n\n",
        GOOD.replace("\n", "\r\n") + "\r\n\r\n",
        "\n \t\n" + GOOD,
        "# only a comment\n\n" + GOOD + "\n\n# the end",
        "#\n# =\n# sent_id =\n" + GOOD,
        GOOD.replace("\n", "\n# between\n"),
    ],
)
def test_accepted_variants(tmp_path, text):
    (sentence,) = read(tmp_path, text)
    assert (sentence.words, sentence.heads, sentence.name) == (("cats", "sleep"), (2, 0), None)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff", "\ufeff\n# x\n\n# y"])
def test_no_sentences(tmp_path, text):
    assert read(tmp_path, text) == []


def test_several_roots_missing_heads_and_missing_tags(tmp_path):
    text = "\n\n".join(
        (
            f"{row(1, 'a', 0)}\n{row(2, 'b', 0)}",
            f"{row(1, 'a', '_')}\n{row(2, 'b', '_')}",
            f"{row(1, 'a', 0, '_')}\n{row(2, 'b', 1, '_')}",
            f"{row(1, 'a', 0, '_')}\n{row(2, 'b', 1, 'X')}",
        )
    )
    roots, headless, tagless, half = read(tmp_path, text)
    assert (roots.heads, headless.heads, tagless.heads) == ((0, 0), None, (0, 1))
    assert (roots.tags, tagless.tags, half.tags) == (("X", "X"), None, ("_", "X"))


def test_unusual_forms_are_kept(tmp_path):
    forms = ("#", "10 000", "_", '"', "a\u00a0b", "-", "1-2", "a\u2028b", "e\u0301", "=")
    lines = [row(1, forms[0], 0), *(row(i, form, 1) for i, form in enumerate(forms[1:], start=2))]
    (sentence,) = read(tmp_path, "\n".join(lines))
    assert sentence.words == forms


# Each case: the rows of a sentence (tabs written |), the code of its diagnostic, its rendering.
BROKEN = Path(__file__).with_name("broken-sentences.txt").read_text("utf-8")
CASES = [case.split("\n=> ") for case in BROKEN.strip("\n").split("\n\n")]


@pytest.mark.parametrize(("rows", "said"), CASES, ids=[said.split("\n")[0] for _, said in CASES])
def test_broken_sentences(tmp_path, rows, said):
    rows = rows.replace("|", "\t")
    code, rendering = said.split("\n", 1)
    alone = read(tmp_path, rows)[0].diagnostic
    assert alone.code == code
    assert alone.render().replace(f"{alone.location.file}:", "", 1) == rendering
    assert alone.source_line == rows.split("\n")[alone.location.line - 1]

    before, broken, after = read(tmp_path, f"{GOOD}\n\n# sent_id = bad\n{rows}\n\n{GOOD}\n")
    assert before.words == after.words == ("cats", "sleep")
    assert (broken.name, broken.line, broken.diagnostic.code) == ("bad", 5, code)
    assert broken.diagnostic.location.line == alone.location.line + 4


def test_blank_columns_and_endless_numbers(tmp_path):
    blanks = "1\ta" + 8 * "\t"
    blank, endless, headless = read(
        tmp_path, f"{row(1, chr(0xA0), 0)}\n\n{row(1, 'a', '9' * 5000)}\n\n{blanks}"
    )
    codes = [value.diagnostic.code for value in (blank, endless, headless)]
    assert codes == ["blank-form", "bad-head", "bad-head"]
    assert headless.diagnostic.location.column == 9
    place = endless.diagnostic.location
    assert (place.line, place.column, place.end_column) == (3, 13, 5013)


def test_rendered_diagnostic(tmp_path):
    (broken,) = read(tmp_path, f"{row(1, '猫', 2)}\n{row(2, 'b', 7)}")
    rendered = broken.diagnostic.render().replace(str(tmp_path) + os.sep, "")
    assert rendered.splitlines() == [
        "bank.conllu:2:13: error: word 2 has head 7, but the last word is 2",
        "  | 2 b _ X _ _ 7 _ _ _",
        "  |             ^",
        "  expected: a head from 0 to 2",
        "  hint: a head is the id of a word of the same sentence, 0 for a root",
    ]


def failure(path):
    try:
        (found,) = (one.diagnostic for one in read_conllu(path))
    except TreebankError as error:
        (found,) = error.diagnostics
    return found, (found.location.line, found.location.column)


def test_a_byte_that_is_not_utf8_breaks_one_sentence(tmp_path):
    latin = row(1, "h\u00f6 caf\u00e9", 0).encode().replace("\u00e9".encode(), b"\xe9")
    path = written(tmp_path, GOOD.encode() + b"\n\n" + latin + b"\n\n\xef\xbb\xbf# on\n\n" + GOOD.encode())
    before, broken, after = read_conllu(path)
    assert before.words == after.words == ("cats", "sleep")
    assert count_sentences(path) == 3
    found = broken.diagnostic
    assert (found.code, found.message) == ("not-utf8", "byte 0xE9 is not valid UTF-8")
    assert (found.location.line, found.location.column) == (4, 9)
    assert found.source_line == row(1, "h\u00f6 caf\ufffd", 0)


UTF8 = "convert it to UTF-8"
SAVE = "save the file in UTF-8"
LINE_ENDS = "is this a CoNLL-U file, and are its line ends \\n or \\r\\n?"


@pytest.mark.parametrize(
    ("content", "code", "place", "hint"),
    [
        (GOOD.encode("utf-16"), "not-utf8", (1, 1), f"the file looks like UTF-16: {UTF8}"),
        (GOOD.encode("utf-16-le"), "binary-file", (1, 2), f"if it is text in UTF-16, {UTF8}"),
        (b"\x1f\x8b\x08\xff", "broken-gzip", (1, 1), "pack it again: gzip FILE.conllu"),
        (b"# x\n1\xff\n", "not-utf8", (2, 2), SAVE),
        (b"\x7fELF\x01\0\0\xff", "binary-file", (1, 6), f"if it is text in UTF-16, {UTF8}"),
        (b"# x\n" + b"a" * (1 << 21), "line-too-long", (2, 1), LINE_ENDS),
    ],
)
def test_files_that_are_not_conllu(tmp_path, content, code, place, hint):
    path = written(tmp_path, content)
    found, at = failure(path)
    assert (found.code, at, found.hint) == (code, place, hint)
    assert found.location.file == str(path)
    assert found.expected
    assert len(found.source_line) <= 400


def test_missing_files_and_directories(tmp_path):
    found, _ = failure(tmp_path / "none.conllu")
    assert (found.code, found.message) == ("file-not-found", "there is no such file")
    found, _ = failure(tmp_path)
    assert (found.code, found.hint) == ("is-a-directory", "name a .conllu file")
    inside = written(tmp_path, GOOD)
    found, _ = failure(tmp_path)
    assert found.hint == f"name a file, such as {inside}"
    found, _ = failure("a\0b")
    assert found.code == "unreadable-file"
    with pytest.raises(TreebankError, match="no such file"):
        count_sentences(tmp_path / "none.conllu")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_counted(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert count_sentences(tmp_path / "pipe") is None


def test_several_blanks_within_a_form_count_as_one(tmp_path):
    (sentence,) = read(tmp_path, f"{row(1, 'a  b   c', 0)}\n{row(2, 'd', 1)}")
    assert (sentence.words, sentence.heads) == (("a b c", "d"), (0, 1))


def test_comments_name_the_sentence_they_stand_at(tmp_path):
    (sentence,) = read(tmp_path, f"# sent_id = x\n\n{GOOD}")
    assert sentence.name is None


def test_line_ends_are_not_part_of_what_is_shown(tmp_path):
    (broken,) = read(tmp_path, "1\ta\r\n")
    assert broken.diagnostic.source_line == "1\ta"
    assert broken.diagnostic.location.column == 4


def test_reading_is_a_stream(tmp_path):
    path = written(tmp_path, (GOOD + "\n\n") * 2 + "1\xff")
    stream = read_conllu(path)
    assert [next(stream).line, next(stream).line] == [1, 4]
    stream.close()


FORMS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6).filter(
    lambda form: form.strip() and "  " not in form
)


@settings(max_examples=150)
@given(
    st.lists(head_sequences(8), min_size=1, max_size=4),
    st.data(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_round_trip(tmp_path_factory, forest, data, bom, end, final_blank):
    blocks, expected, line = [], [], 1
    for number, heads in enumerate(forest):
        words = tuple(data.draw(FORMS) for _ in heads)
        rows = [row(d, word, head) for d, (word, head) in enumerate(zip(words, heads, strict=True), start=1)]
        if data.draw(st.booleans()):
            rows.insert(0, row(f"1-{len(heads)}", "x", "_"))
        blocks.append([f"# sent_id = s{number}", *rows])
        first = line + 1 + len(rows) - len(heads)
        expected.append(Sentence(words, ("X",) * len(words), heads, f"s{number}", first))
        line += len(rows) + 2
    text = (end + end).join(end.join(block) for block in blocks) + (end + end if final_blank else "")
    path = tmp_path_factory.getbasetemp() / "round.conllu"
    path.write_bytes(text.encode("utf-8-sig" if bom else "utf-8"))
    assert list(read_conllu(path)) == expected
    assert count_sentences(path) == len(expected)


@settings(max_examples=200)
@given(st.binary(max_size=80) | st.text("12.-\t_ab0\n #\r", max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.conllu"
    path.write_bytes(content)
    try:
        values = list(read_conllu(path))
    except TreebankError as error:
        values = [BrokenSentence(found, None, 1) for found in error.diagnostics]
    else:
        assert count_sentences(path) == len(values)
    broken = [value for value in values if isinstance(value, BrokenSentence)]
    assert all(value.diagnostic.location.column >= 1 for value in broken)


@needs_treebanks
def test_english_web_treebank():
    values = list(read_conllu(EWT))
    assert len(values) == count_sentences(EWT) == 2001
    assert all(isinstance(value, Sentence) for value in values)
    assert sum(projective(value.heads) for value in values) == 1970
    assert sum(len(value) for value in values) == 25147


def test_a_treebank_may_be_packed(tmp_path: Path, cli: Cli) -> None:
    text = "# sent_id = one\n1\tä\t_\tN\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    plain, packed = tmp_path / "plain.conllu", tmp_path / "packed.conllu.gz"
    plain.write_text(text, "utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    assert [*read_conllu(packed)] == [*read_conllu(plain)]
    assert count_sentences(packed) == 2
    answers = [cli("coverage", str(file), "--classes", "--json") for file in (plain, packed)]
    assert [answer.code for answer in answers] == [0, 0]
    assert answers[0].out.replace("plain.conllu", "") == answers[1].out.replace("packed.conllu.gz", "")
    for broken in (packed.read_bytes()[:-12], packed.read_bytes()[:12] + bytes(40)):
        packed.write_bytes(broken)
        with pytest.raises(TreebankError):
            list(read_conllu(packed))
        answer = cli("coverage", str(packed), "--classes")
        assert answer.code == 2
        assert "packed.conllu.gz:" in answer.err


def test_no_name_is_a_formula_in_a_table_of_values(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = tmp_path / "=cmd.conllu"
    bank.write_text("# sent_id = =cmd|' /C calc'!A0\n1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (
        "coverage =cmd.conllu --classes --format csv",
        "coverage =cmd.conllu --classes --format tsv",
        "run eisner1996 --conllu =cmd.conllu --grammar gold --csv",
        "run eisner1996 --conllu =cmd.conllu --grammar gold --tsv",
    ):
        rows = [*csv.reader(cli(command).out.splitlines(), delimiter="\t" if "tsv" in command else ",")]
        assert any("cmd" in cell for row in rows for cell in row)
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]
