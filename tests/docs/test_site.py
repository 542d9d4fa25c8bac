"""The site: what makes pages of the repository's files, and what is not in Markdown is current."""

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from schemata.cli.main import COMMANDS, main
from tests.support import script

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "docs").glob("*.ipynb"))
}


@pytest.mark.parametrize(
    ("source", "written", "shown"),
    [
        ("README.md", "[a](docs/order.md#no-order) [b](LICENSE)", "[a](order.md#no-order) b"),
        ("README.md", "![c](docs/derivation.svg)", "![c](derivation.svg)"),
        (
            "docs/order.md",
            "[a](../README.md) [b](../examples) [c](engine.md)",
            "[a](index.md) b [c](engine.md)",
        ),
        ("docs/order.md", "[a](https://a.org/b.md) [b](#c)", "[a](https://a.org/b.md) [b](#c)"),
        ("docs/order.md", "[a](notebook.ipynb)", "[a](notebook.md)"),
        ("docs/order.md", "```dict small.dict\n[a](b)\n```", '```dict title="small.dict"\n[a](b)\n```'),
    ],
)
def test_files_of_the_repository_become_pages(source: str, written: str, shown: str) -> None:
    assert script("site").adapted(written, source) == shown


def test_all_commands_and_options_are_on_the_page() -> None:
    page = script("site").options_of_commands()
    for name in COMMANDS:
        assert f"\n## {name}\n" in f"\n{page}"
    for option in ("`--grammar` `G`", "`--trace-all`", "`-o`, `--output` `FILE`"):
        assert f"| {option} |" in page


def test_docstrings_become_markdown() -> None:
    pytest.importorskip("griffe")
    text = "Read it.\n\nParameters\n----------\npath, name : where\n    it is.\n\n>>> 1\n1"
    shown = "Read it.\n\n**Parameters**\n\n- `path`, `name`: where\n    it is.\n\n```python\n>>> 1\n1\n```"
    assert script("docstrings").markdown_of(text) == shown


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name: str) -> None:
    """Every cell runs, and what a cell ends in has a picture or a text. Building the site runs it in Jupyter."""
    names: dict[str, object] = {}
    for cell in NOTEBOOKS[name]["cells"]:
        if cell["cell_type"] == "code":
            *body, last = ast.parse("".join(cell["source"])).body
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(ast.Module(body, []), "notebook", "exec"), names)
                if not isinstance(last, ast.Expr):
                    exec(compile(ast.Module([last], []), "notebook", "exec"), names)
                    continue
                value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
            shows = [getattr(value, name)() for name in ("_repr_html_", "_repr_svg_") if hasattr(value, name)]
            assert value is None or all(shows)
            assert "\ufffd" not in "".join(shows), "a line break or another control character is shown as one"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_outputs(name: str) -> None:
    code = [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]
    assert [cell["outputs"] for cell in code] == [[]] * len(code)
    assert [cell["execution_count"] for cell in code] == [None] * len(code)


def test_the_picture_is_current(tmp_path: Path) -> None:
    words = ["Mary chased the cat", "--grammar", "example", "--derivations", "1", "--svg", str(tmp_path)]
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["run", "collins1996", *words]) == 0
    drawn = (tmp_path / "derivation-1.svg").read_text(encoding="utf-8")
    shown = (ROOT / "docs" / "derivation.svg").read_text(encoding="utf-8")
    assert drawn == shown, "CONTRIBUTING.md says how to draw docs/derivation.svg again"


def test_every_page_has_a_place() -> None:
    """Pages that MkDocs makes from other files are named in the navigation as the others are."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    for page in (ROOT / "docs").glob("*.md"):
        assert navigation.count(f" {page.name}\n") == 1, f"mkdocs.yml does not name {page.name}"


def test_pages_explain_d_rules_where_they_first_name_them() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        if first := re.search(r"D-rule|d-rules", text):
            near = " ".join(text[max(0, first.start() - 250) : first.end() + 300].split())
            assert re.search("may be a dependent|license", near), f"{page.name} does not explain D-rules"


@pytest.mark.parametrize("file", ["pyproject.toml", "CITATION.cff"])
def test_the_version_is_one(file: str) -> None:
    from schemata import __version__

    text = (ROOT / file).read_text(encoding="utf-8")
    assert f'version = "{__version__}"' in text or f"\nversion: {__version__}\n" in text
