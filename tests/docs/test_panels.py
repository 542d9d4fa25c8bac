"""The picture at the head of README.md is what its script computes, and the numbers beside it are no exaggeration."""

import re

from schemata.language.library import shipped_relations
from schemata.language.shipped import shipped_schemata
from tests.support import ROOT, script


def test_the_panels_are_up_to_date() -> None:
    assert (ROOT / "docs" / "panels.svg").read_text(encoding="utf-8") == script("panels").drawing()


def test_the_panels_show_rules_a_parse_and_a_counterexample() -> None:
    panels = script("panels")
    assert len([line for line in panels.rules() if line.strip()]) >= 9
    picture, said = panels.broken()
    assert 'class="link"' in picture
    assert any("no: this tree is missed" in line for line in said)
    assert any(line.startswith("sound     yes") for line in said)
    assert panels.parsed().count('class="link"') == 5


def test_the_numbers_of_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    schemata, relations = map(int, re.search(r"More than (\d+) schemata and (\d+) relations", text).groups())
    assert len(shipped_schemata()) > schemata
    assert len(shipped_relations()) > relations
