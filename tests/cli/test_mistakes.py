"""What people write at first, and whether the answer lets them know at once what to change: `mistakes.txt`."""

import contextlib
import os
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import schemata
from schemata.cli.main import main
from schemata.errors import SchemataError
from tests.support import titled_blocks

BLOCKS = titled_blocks(Path(__file__).with_name("mistakes.txt"))
BASES = {title.removeprefix("base "): text for title, text in BLOCKS.items() if title.startswith("base ")}
MISTAKES = {title: text for title, text in BLOCKS.items() if not title.startswith("base ")}
_FILE = re.compile(r"([\w.]+\.\w+)(?: = (\w+))?")


class Mistake(NamedTuple):
    """What is asked, the files that lie there, the verdict on the answer, and the answer."""

    request: str
    files: dict[str, list[str]]
    verdict: int
    answer: str


def mistake_of(text: str) -> Mistake:
    """Return the mistake of a block: `$` or `>>>` before the request, `|` before lines of a file.

    A file may be a base with lines taken out (`-`) and put in their place (`+`), indented alike.
    """
    request, verdict, files, answer = "", 0, dict[str, list[str]](), list[str]()
    lines: list[str] = []
    place, indent = 0, ""
    for line in text.split("\n"):
        kind, _, rest = line.partition(" ")
        if kind in ("$", ">>>"):
            request = line
        elif kind == "verdict":
            verdict = int(rest)
        elif kind == ">":
            answer.append(rest)
        elif kind == "|":
            lines.append(rest)
        elif kind == "-":
            place = next(k for k, one in enumerate(lines) if one.strip() == rest.strip())
            indent = re.match(" *", lines[place])[0]
            del lines[place]
        elif kind == "+":
            lines.insert(place, f"{indent}{rest}".rstrip())
            place += 1
        else:
            name, base = _FILE.fullmatch(line).groups()
            lines = files[name] = [one[2:] for one in BASES[base].split("\n")] if base else []
    return Mistake(request, files, verdict, "\n".join(answer))


def answered(mistake: Mistake, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is answered: the exception's text, or what goes to standard error, with `--json` all."""
    if mistake.request.startswith(">>> "):
        import numpy as np

        with pytest.raises((SchemataError, AttributeError, TypeError)) as raised:
            eval(mistake.request[4:], {"schemata": schemata, "np": np})
        return f"{raised.type.__name__}: {raised.value}"
    with contextlib.suppress(SystemExit):
        main(shlex.split(mistake.request[2:]))
    out, err = capsys.readouterr()
    return (err + (out if "--json" in mistake.request else "")).rstrip("\n")


@pytest.mark.parametrize("title", MISTAKES)
def test_the_answer_to_a_mistake(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mistake = mistake_of(MISTAKES[title])
    for name, lines in mistake.files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = answered(mistake, capsys)
    if os.environ.get("MISTAKES_RENEWED"):  # a way to renew mistakes.txt: read each change before keeping it
        with Path(os.environ["MISTAKES_RENEWED"]).open("a", encoding="utf-8") as file:
            file.write(f"=== {title}\n" + "".join(f"> {line}\n" for line in found.split("\n")))
    assert found == mistake.answer


def test_the_bases_are_without_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in BASES.items():
        path = tmp_path / name / "mine.schema"
        path.parent.mkdir()
        path.write_text("\n".join(one[2:] for one in text.split("\n")) + "\n", encoding="utf-8")
        assert main(["check", str(path)]) == 0
        assert "no errors" in capsys.readouterr().out


def test_the_verdicts() -> None:
    """Of 194 mistakes none is answered so that one does not see what to change, and at least 189 at once."""
    verdicts = Counter(mistake_of(text).verdict for text in MISTAKES.values())
    assert verdicts.total() == 194
    assert min(verdicts) >= 2
    assert verdicts[3] >= 189
