"""Mutates schema files and fixtures and checks what the reader says of them.

    python -m tests.language.fuzz --cases 20000 --seed 0 [--specs DIR]

No text may raise anything but a `SchemataError`, take long, or give a finding without a place in the text.
"""

import argparse
import random
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from schemata.errors import SchemataError
from schemata.language.files import read_schema_text
from schemata.language.forms import read_item
from schemata.language.library import load_schema
from schemata.language.parse import parse_item
from schemata.language.shipped import shipped_schemata
from tests.language.findings import FIXTURES, SPECS, assert_sound

SECONDS = 2  # of processor time, for one case
WORDS = """
schema step item final hypothesis where given attach to licensed link head of root rule category is not
and or in minus empty absent present length true false n normal form replace without case extends title
mirror as input integer same word type compose / \\ | define part composed of ; builds over structure set graph
relation weight log asked by under above connected has a head no arcs join disjunct labels category corner
for every layout beginning ending with covers intervals alignment bracket align map through
source grammar if list dotted double-dotted position flag symbol _ *_ *A *( ( ) [ ] < > , . .. + - = ==
!= <= >= | & => ; : ^ * ' " # ? 0 1 99999999999 --- -------- k = 2 ≤ ≥ ≠ ¬ ∧ ∨ ∈ ∉ ⟨ ⟩ • ─── α Ω 𝔘
"""
CHARACTERS = "\n\t\r\0\u0301\u200b\u00a0\u2028\ufeff\udc80"
TOKENS = (*WORDS.split(), *CHARACTERS, "\n\n", " \n ")


class Hang(Exception):
    """A case took longer than it may."""


def corpus(specs: Path = SPECS) -> list[str]:
    """Return the texts that are mutated: shipped schemata and the fixtures."""
    paths = [*sorted(specs.rglob("*.schema")), *sorted(FIXTURES.rglob("*.schema"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def mutate(rng: random.Random, texts: list[str]) -> str:
    """Return a text with a few random changes."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8, 30))):
        text = rng.choice(CHANGES)(rng, text, texts)
    return text


def _spot(rng: random.Random, text: str, longest: int = 12) -> tuple[int, int]:
    start = rng.randint(0, len(text))
    return start, min(len(text), start + rng.randint(0, longest))


def delete(rng: random.Random, text: str, texts: list[str]) -> str:
    """Take a few characters out."""
    a, b = _spot(rng, text)
    return text[:a] + text[b:]


def duplicate(rng: random.Random, text: str, texts: list[str]) -> str:
    """Write a stretch twice, or very often."""
    a, b = _spot(rng, text, 40)
    times = rng.choice((2, 2, 2, 3, 200))
    return text[:a] + text[a:b] * times + text[b:]


def swap(rng: random.Random, text: str, texts: list[str]) -> str:
    """Swap two stretches that follow each other."""
    a, b = _spot(rng, text, 20)
    middle = rng.randint(a, b)
    return text[:a] + text[middle:b] + text[a:middle] + text[b:]


def insert(rng: random.Random, text: str, texts: list[str]) -> str:
    """Put a token somewhere."""
    a, _ = _spot(rng, text)
    return text[:a] + rng.choice(("", " ")) + rng.choice(TOKENS) + rng.choice(("", " ")) + text[a:]


def insert_character(rng: random.Random, text: str, texts: list[str]) -> str:
    """Put any character somewhere."""
    a, _ = _spot(rng, text)
    return (
        text[:a]
        + chr(rng.choice((rng.randint(0, 127), rng.randint(0, 0x2FFF), rng.randint(0, 0x10FFFF))))
        + text[a:]
    )


def replace_word(rng: random.Random, text: str, texts: list[str]) -> str:
    """Put one word of the text in the place of another."""
    words = text.split()
    if not words:
        return text
    old, new = rng.choice(words), rng.choice((*words, *TOKENS))
    return text.replace(old, new, rng.choice((1, 1, 1, -1)))


def drop_line(rng: random.Random, text: str, texts: list[str]) -> str:
    """Leave a line out."""
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def move_line(rng: random.Random, text: str, texts: list[str]) -> str:
    """Move a line, or repeat it elsewhere."""
    lines = text.split("\n")
    line = lines[rng.randrange(len(lines))]
    if rng.random() < 0.5:
        lines.remove(line)
    lines.insert(rng.randint(0, len(lines)), line)
    return "\n".join(lines)


def splice(rng: random.Random, text: str, texts: list[str]) -> str:
    """Go on with another file."""
    other = rng.choice(texts)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def garble(rng: random.Random, text: str, texts: list[str]) -> str:
    """Change bytes of the encoded text."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(rng.randint(1, 5)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return data.decode("utf-8", rng.choice(("replace", "ignore", "surrogateescape")))


CHANGES = (
    delete, duplicate, swap, insert, insert, insert_character, replace_word, replace_word,
    drop_line, move_line, splice, garble,
)  # fmt: skip


def check_text(text: str) -> list[str]:
    """Read and check a text; returns the codes found. Raises AssertionError where a finding is not sound."""
    schema, findings = read_schema_text(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for finding in findings:
        assert_sound(finding)
        # In NFC a line may be shorter, never longer by much; base files are those shipped.
        if finding.location.file == "schema":
            assert finding.location.line <= len(lines)
    assert (schema is None) == any(f.severity == "error" for f in findings)
    return [f.code for f in findings]


def check_item(rng: random.Random, texts: list[str], schemata: list) -> None:
    """Read random text as an item."""
    text = " ".join(rng.choice(TOKENS) for _ in range(rng.randint(0, 30)))
    if rng.random() < 0.7:
        source = rng.choice(texts)
        a = rng.randint(0, len(source))
        text = f"{rng.choice(('span', 'edge', 'tree', 'x'))}[{source[a : a + rng.randint(0, 60)]}{text}]"
    for read in (parse_item, lambda t: read_item(rng.choice(schemata), t, 3)):
        try:
            read(text)
        except SchemataError as error:
            findings = error.diagnostics
        else:
            continue
        assert findings
        for finding in findings:
            assert_sound(finding)


def run(cases: int, seed: int, specs: Path = SPECS) -> tuple[Counter[str], list[tuple[int, str, str]]]:
    """Run cases; returns how often each code was found, and the failures as case, text and traceback."""
    texts = corpus(specs)
    schemata = [load_schema(name) for name in shipped_schemata()]
    codes: Counter[str] = Counter()
    failures: list[tuple[int, str, str]] = []

    def stop(*_: object) -> None:
        raise Hang

    previous = signal.signal(signal.SIGVTALRM, stop)
    try:
        for case in range(cases):
            rng = random.Random(f"{seed}/{case}")
            text = mutate(rng, texts)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                codes.update(set(check_text(text)))
                check_item(rng, texts, schemata)
            except Exception:
                failures.append((case, text, traceback.format_exc()))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, previous)
    return codes, failures


def main(arguments: list[str] | None = None) -> int:
    """Run the command; exit status 1 where a case failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--specs", type=Path, default=SPECS)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    codes, failures = run(options.cases, options.seed, options.specs)
    for code, count in codes.most_common():
        print(f"{count:8} {code}")
    for case, text, trace in failures[:5]:
        print(f"\ncase {case}:\n{text[:3000].encode('ascii', 'backslashreplace').decode()}\n{trace}")
    print(f"{options.cases} cases, {len(failures)} failures, {time.perf_counter() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
