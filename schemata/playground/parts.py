"""The parts of the page that are not of this package: Pyodide, the editor, a solver; made once, and kept.

They come from npm, in the versions and with the checksums of `parts/package-lock.json`, and the solver from the Python
package index, with those of `parts/solver.txt`. They are neither in the repository nor in the wheel: 14 MB, and 7 MB of
the solver, which not everybody wants. Once made, nothing is fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from schemata.cache import folder_of, look_up, named, store
from schemata.errors import Diagnostic, UsageError

VARIABLE = "SCHEMATA_PLAYGROUND"
"""The variable of the environment that names a folder with the parts."""

LIBRARY = "library.tar.gz"
_STDLIB = "python_stdlib.zip"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", _STDLIB, "pyodide-lock.json")
NEEDED = ("codemirror.js", *(f"pyodide/{name}" for name in PYODIDE))
"""The files without which there is no page; `solver/*.whl` may be there, too."""

_OWN = Path(__file__).parent / "parts"
_PLATFORM = "pyemscripten_2026_0_wasm32"  # that of the pinned Pyodide, as wheels are tagged
_SOLVER = "solver.txt"  # its version and checksum
_KIND = "page"  # folder in the user's cache folder
_PATIENCE = 300.0  # seconds for compiling the library, which takes 20 where nothing else runs
_SLOWER = (
    "the page takes three times as long to start; make it again where there is node, and little else runs"
)
_EXTRA = "pip install 'parsing-schemata[playground]' brings npm"


def are_parts(folder: Path) -> bool:
    """Whether a folder has all parts that are needed."""
    return all((folder / name).is_file() for name in NEEDED)


def parts() -> Path:
    """Return the folder of the parts: a named one, or the one in the cache, made now if there is none.

    Raises
    ------
    UsageError : the named folder lacks some, or there is no npm to make them with, or it fails.
    """
    given = os.environ.get(VARIABLE)
    if given:
        folder = Path(given)
        if not are_parts(folder):
            missing = ", ".join(name for name in NEEDED if not (folder / name).is_file())
            raise UsageError(f"{VARIABLE} names {folder}, which lacks {missing}", code="no-parts")
        return folder
    kept = folder_of("playground")
    if kept is None:
        hint = f"name a folder with the parts by {VARIABLE}"
        raise UsageError(
            "there is no cache folder to keep the parts of the page in", code="no-parts", hint=hint
        )
    made_of = (_OWN / name for name in ("package-lock.json", "codemirror.js", _SOLVER))
    folder = kept / named("parts", tuple(path.read_text("utf-8") for path in made_of))
    if not are_parts(folder):
        build(folder)
    return folder


def build(folder: Path) -> None:
    """Make the parts with npm, in a folder that appears only when it is complete.

    Raises
    ------
    UsageError : there is no npm, or it fails: without a network, say.
    """
    npm = shutil.which("npm") or _beside("npm")
    if npm is None:
        message = "the page is not made yet: Pyodide and the editor come from npm, and there is no npm"
        hint = f"{_EXTRA}; or name a folder with the parts by {VARIABLE}"
        raise UsageError(message, code="no-parts", hint=hint)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder.parent) as place:
        room, made = Path(place), Path(place) / "made"
        for name in ("package.json", "package-lock.json", "codemirror.js"):
            shutil.copy(_OWN / name, room / name)
        _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], room)
        (made / "pyodide").mkdir(parents=True)
        bundle = ["codemirror.js", "--bundle", "--format=esm", "--minify", "--legal-comments=eof"]
        _run(
            [npm, "exec", "--offline", "--", "esbuild", *bundle, f"--outfile={made / 'codemirror.js'}"], room
        )
        for name in PYODIDE:
            shutil.copy(room / "node_modules" / "pyodide" / name, made / "pyodide" / name)
        _solver(made / "solver")
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(made, folder)


def compiled(library: bytes, folder: Path) -> tuple[dict[str, bytes], Diagnostic | None]:
    """Return files of the page: an archive of the library, and the zip of Python's own modules.

    In both, the modules that a start imports are compiled (by the page's Python, run in node), so that a start takes
    a third of the time. The files are kept. If node is missing or fails, the library is returned as it is, with a
    warning.

    Parameters
    ----------
    library : a tar archive, compressed by gzip.
    folder : the folder of the parts.
    """
    node, script = shutil.which("node") or _beside("node"), _OWN / "compile.mjs"
    lock = folder / "pyodide" / "pyodide-lock.json"

    def usual(reason: str) -> tuple[dict[str, bytes], Diagnostic]:
        message = f"the library is not compiled for the page: {reason}"
        warning = Diagnostic("not-compiled", message, hint=_SLOWER, severity="warning")
        return {LIBRARY: library}, warning

    if node is None or not lock.is_file():
        return usual("there is no node" if node is None else f"{folder} lacks pyodide/{lock.name}")
    key = f"{zlib.crc32(library):08x}-{zlib.crc32(lock.read_bytes() + script.read_bytes()):08x}"
    names = {LIBRARY: "library", f"vendor/pyodide/{_STDLIB}": "stdlib"}
    kept = {name: look_up(_KIND, f"{label}-{key}") for name, label in names.items()}
    found = {name: content for name, content in kept.items() if content is not None}
    if len(found) == len(names):
        return found, None
    with tempfile.TemporaryDirectory(prefix="schemata-") as place:
        room = Path(place)
        (room / "given.tar.gz").write_bytes(library)
        command = [node, str(script), str(folder / "pyodide"), str(room / "given.tar.gz"), str(room)]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
            )
            made = {
                name: (room / name.rpartition("/")[2]).read_bytes() for name in names if not done.returncode
            }
        except subprocess.TimeoutExpired:
            return usual(f"node took more than {_PATIENCE:g} s")
        except OSError as problem:
            return usual(f"node left no result: {problem.strerror or problem}")
        if done.returncode:
            return usual(f"node fails: {_first_line(done)}")
    for name, label in names.items():
        store(_KIND, f"{label}-{key}", made[name])
    return made, None


def _beside(program: str) -> str | None:
    return shutil.which(program, path=str(Path(sys.executable).parent))


def _solver(folder: Path) -> None:
    """Fetch the solver for Pyodide; without it, the page proves nothing for every n, and says so."""
    wheels = ["--platform", _PLATFORM, "--implementation", "py", "--abi", "none", "--only-binary", ":all:"]
    pinned = ["--no-deps", "--require-hashes", "--requirement", str(_OWN / _SOLVER)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *wheels, *pinned, "--dest", str(folder)]
    subprocess.run(command, check=False, capture_output=True, text=True)


def _run(command: list[str], folder: Path) -> None:
    """Run a program in a folder.

    Raises
    ------
    UsageError : it cannot be run, or fails; with the first line that it prints.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, check=False, capture_output=True, text=True, errors="replace"
        )
    except OSError as problem:
        raise UsageError(f"npm cannot be run: {problem}", code="no-parts") from None
    if done.returncode:
        hint = f"npm fetches them once, which needs a network; or name a folder with them by {VARIABLE}"
        message = f"the parts of the page cannot be made: {_first_line(done)}"
        raise UsageError(message, code="no-parts", hint=hint)


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the first line that a program which failed has printed."""
    lines = (line.strip() for line in (done.stderr or done.stdout).splitlines())
    return next(filter(None, lines), "no reason is given")
