"""The page as a folder that any web server can hold: its files, the library, the catalogue, and the parts."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import tarfile
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import schemata
from schemata.errors import Diagnostic, UsageError
from schemata.exercises.reading import SUFFIX as EXERCISE_SUFFIX
from schemata.exercises.reading import exercise_from_text
from schemata.grammars.kinds import kind_of_suffix
from schemata.language.parse import TABLE, table
from schemata.language.shipped import ALIASES, shipped_files, shipped_schemata
from schemata.language.source import SUFFIX
from schemata.playground.catalogue import catalogue
from schemata.playground.parts import compiled

_WEB = Path(__file__).parent / "web"
_NAMING = re.compile(r"(?m)^(schema|original|same-as|grammar)[ \t]+(\S.*?)[ \t]*$")  # keywords of an exercise
_MARK = "catalogue.json"  # a folder that has it is one of ours
_KEPT = {".py", ".lark", ".schema", ".relation", ".certificate", ".typed"}  # what the archive has
_LEFT_OUT = (  # what no question of the page reads
    "schemata/playground/web/", "schemata/playground/parts/", "schemata/torch.py", "schemata/jax.py",
    "schemata/learning/", "schemata/decoding/", "schemata/cli/", "schemata/lsp.py",
    "schemata/notebook.py", "lark/__pyinstaller/", "lark/tools/", "wcwidth/table_grapheme_overrides/_known_",
)  # fmt: skip


def export(folder: Path, parts: Path, given: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Write the page into a folder; returns the warnings about it.

    Parameters
    ----------
    folder : the folder; it is made if it is not there.
    parts : the folder of the parts.
    given : shipped names, of which the first is shown first; paths of schemata, grammars and exercises to put into
        the menus.

    Raises
    ------
    UsageError, SchemaError : a name or a file is not one of these, an exercise has mistakes, or the folder holds
        something else.
    """
    own, first = _given(given)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", code="bad-folder", expected="a folder to write the page into")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        message = f"{folder} holds other files"
        raise UsageError(message, code="bad-folder", expected="an empty folder, or an earlier page")
    listed = json.dumps(catalogue(own, first), ensure_ascii=False, separators=(",", ":"))
    (folder / "vendor").mkdir(parents=True, exist_ok=True)
    (folder / _MARK).write_text(listed, encoding="utf-8")  # first: what is interrupted can be done again
    for path in _WEB.iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    shutil.copyfile(parts / "codemirror.js", folder / "vendor" / "codemirror.js")
    shutil.copytree(parts / "pyodide", folder / "vendor" / "pyodide", dirs_exist_ok=True)
    solvers = sorted((parts / "solver").glob("*.whl"))
    for wheel in solvers[-1:]:
        shutil.copyfile(wheel, folder / "vendor" / wheel.name)
    told = {"solver": [wheel.name for wheel in solvers[-1:]], "version": schemata.__version__}
    (folder / "vendor" / "parts.json").write_text(json.dumps(told), encoding="utf-8")
    files, warning = compiled(library(), parts)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    if not solvers:
        hint = f"it is fetched with the parts: remove {parts} to have them made again"
        message = "the page has no solver: it proves nothing for every number of words"
        lack = Diagnostic("no-solver", message, hint=hint, severity="warning")
        return (lack,) if warning is None else (warning, lack)
    return () if warning is None else (warning,)


def _given(given: Iterable[str]) -> tuple[list[dict[str, Any]], str | None]:
    """Return the contents of the given files, for the menu, and the name to show first."""
    own, first = list[dict[str, Any]](), None
    for one in given:
        name, path = ALIASES.get(one, one), Path(one)
        if name in shipped_schemata():
            first = first or name
            continue
        kind = kind_of_suffix(path.suffix) if path.suffix else None
        is_exercise = path.suffix == EXERCISE_SUFFIX
        if path.suffix != SUFFIX and kind is None and not is_exercise:
            expected = "shipped names, paths of schemata, of grammars and of exercises"
            raise UsageError(f"the page cannot show {one}", code="unknown-file", expected=expected)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            said = getattr(problem, "strerror", None) or "it is not a text in UTF-8"
            raise UsageError(f"{one} cannot be read: {said}", code="unknown-file") from None
        if is_exercise:
            text = _NAMING.sub(_with_files, text)
            task = exercise_from_text(text, one, path.stem)
            own.append({"name": path.stem, "text": text, "kind": "exercise", "task": task})
            continue
        own.append({"name": path.stem, "text": text, "kind": kind or "schema"})
        first = first or (path.stem if kind is None else None)
    return own, first


def _with_files(named: re.Match[str]) -> str:
    """Return a keyword of an exercise with the text of the file that it names, since the page has no other files."""
    path = Path(named[2])
    if not path.is_file():
        return named[0]
    return f"{named[1]}\n{textwrap.indent(path.read_text(encoding='utf-8-sig').rstrip(), '  ')}"


def library() -> bytes:
    """Return this package and the two that it needs as an archive, which the worker unpacks.

    The parse table of schema files goes with it: browsers would need a second to make it. Archives of the same files
    are the same.
    """
    files = {name: file.read_bytes() for name, file in _library()}
    files[f"schemata/language/{TABLE}"] = table()
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(content.getvalue(), 9, mtime=0)


def _library() -> Iterator[tuple[str, Path]]:
    """Yield the files of the library, by their names in the archive."""
    for package in ("schemata", "lark", "wcwidth"):
        found = find_spec(package)
        assert found is not None
        assert found.origin is not None
        root = Path(found.origin).parent
        for file in root.rglob("*"):
            name = f"{package}/{file.relative_to(root).as_posix()}"
            left_out = "__pycache__" in name or (name.startswith(_LEFT_OUT) and file.name != "__init__.py")
            if file.suffix in _KEPT and not left_out:
                yield name, file
    for room in ("schema_specs", "examples"):
        shipped = shipped_files("", room)
        root = next(iter(shipped.values())).parent
        while root.name != room:
            root = root.parent
        for file in root.rglob("*"):
            if file.is_file():
                yield f"schemata/{room}/{file.relative_to(root).as_posix()}", file
