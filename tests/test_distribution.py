"""The distribution: one name and one version in all places, and no advice to install another project."""

import re
import tomllib
from pathlib import Path

import schemata

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = "parsing-schemata"  # `schemata` on the index is another project


def texts() -> dict[Path, str]:
    """Return the texts of the pages, the notebooks, the package and the scripts that build it."""
    folders = "schemata", "docs", ".ci"
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    files += [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", ROOT / "pyproject.toml"]
    kinds = {".py", ".md", ".ipynb", ".toml", ".yml"}
    return {path: path.read_text(encoding="utf-8") for path in files if path.suffix in kinds}


def test_the_name_is_one_that_can_be_installed() -> None:
    assert PROJECT["name"] == NAME
    assert PROJECT["scripts"].keys() == {"schemata"}
    advice = re.compile(
        r"pip install (?:-\S+ )*\\?[\"']?schemata\b|(?<!-)\bschemata\[(?:plot|pandas|cluster|test|dev|docs)\]"
    )
    wrong = [(path.name, found[0]) for path, text in texts().items() for found in advice.finditer(text)]
    assert wrong == []
    for page in ("README.md", "CONTRIBUTING.md", "docs/notebook.ipynb", "docs/comparison.ipynb"):
        assert NAME in (ROOT / page).read_text(encoding="utf-8"), page


def test_the_version_is_one() -> None:
    assert PROJECT["version"] == schemata.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {schemata.__version__}\n" in citation
    assert f"## {schemata.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_extras_name_the_distribution() -> None:
    names = {name for needs in PROJECT["optional-dependencies"].values() for name in needs}
    own = {name for name in names if "schemata" in name}
    assert own
    assert all(name.startswith(f"{NAME}[") for name in own)
