"""Ways that the answers of engines do not show: commands answer the same on both sides, whatever is kept or divided."""

from __future__ import annotations

import re

import pytest

from schemata.thresholds import changed
from tests.engine.test_thresholds import noted
from tests.support import ROOT
from tests.support.commands import Cli, Written, conllu
from tests.support.cuts import documents

COMMANDS = {
    "run sleator-temperley1991 a_b_a_b --grammar DICTIONARY": "kept_words kept_nodes",
    "constraints die_Katze_jagt_der_Hund --grammar CONSTRAINTS": "search_nodes",
    "verify cyk --max-n 1 --jobs 2": "process_cases shards_ahead",
    "compare eisner1996 nivre2003 --conllu BANK --jobs 2": "process_sentences shards_ahead",
    "run eisner1996 --conllu BANK": "many_lengths",
}


@pytest.mark.parametrize("line", COMMANDS)
def test_answers_do_not_depend_on_ways(line: str, cli: Cli, written: Written) -> None:
    """Neither with thresholds of 1, nor with large ones."""
    sentences = {f"s{k}": "a/X/2 b/X/0 c/X/2" for k in range(30)}
    places = {
        "BANK": str(written("bank.conllu", conllu(**sentences))),
        "DICTIONARY": str(written("x.dict", "a: {A-} & {A+}; b: {A-} & {A+};\n")),
        "CONSTRAINTS": str(ROOT / "examples" / "constraint-propagation.constraints"),
    }
    words = [
        re.sub(r"\b[A-Z]{4,}\b", lambda found: places[found[0]], word).replace("_b", " b")
        for word in line.split()
    ]
    words = [word.replace("_", " ") if word.startswith(("a_", "die_", "a b")) else word for word in words]
    found = []
    for value in (None, 1, 10**6):
        with (
            changed(**({} if value is None else dict.fromkeys(COMMANDS[line].split(), value))),
            noted() as read,
        ):
            answer = cli(words[0], *words[1:], "--json")
        assert answer.code == 0, answer.err
        assert {*COMMANDS[line].split()} <= read
        found.append(documents(answer.out))
    assert found[0] == found[1] == found[2]
