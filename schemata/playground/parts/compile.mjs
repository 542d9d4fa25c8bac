// Compiles what the page's start needs with the Python of the page: modules of the library, and of Python itself, whose zip
// has sources only. The others stay as they are, since compiled ones are larger; parts of Python that the page has no use for
// are left out.
//     node compile.mjs PYODIDE LIBRARY.tar.gz FOLDER
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, library, target] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.resolve(folder, "pyodide.mjs")).href);
const python = await loadPyodide({ env: { PYTHONNODEBUGRANGES: "1" } });  // places of lines are enough in messages
const packed = new Uint8Array(fs.readFileSync(library));
python.FS.writeFile("/library.tar.gz", packed);
python.FS.writeFile("/stdlib.zip", new Uint8Array(fs.readFileSync(path.join(folder, "python_stdlib.zip"))));
python.unpackArchive(packed, "gztar", { extractDir: "/library" });
python.runPython(`
import ast, gzip, io, re, sys, tarfile, zipfile
from pathlib import Path
from _frozen_importlib_external import _code_to_hash_pyc

sys.path.insert(0, "/library")
from schemata.playground.answers import answer

schema = Path("/library/schemata/schema_specs/projective/eisner1996.schema").read_text()
about = {"schema": schema, "sentence": "a b", "grammar": "all", "examples": [{"sentence": "a b", "expected": "accepted"}]}
for ask in ("check", "check_grammar", "run", "picture", "examples", "structures"):
    found = answer({"ask": ask, **about})
    assert "errors" not in found, found
needed = {getattr(one, "__file__", None) for one in sys.modules.values()}
home = next(one for one in sys.path if one.endswith(".zip"))


def compiled(source, file, optimize):
    code = compile(source, file, "exec", dont_inherit=True, optimize=optimize)
    return bytes(_code_to_hash_pyc(code, bytes(8), checked=False))


def without_docstrings(source):
    tree = ast.parse(source)  # what is asserted stays
    for node in ast.walk(tree):
        own = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
        if own and isinstance(node, ast.Module):
            del node.body[0]  # imports from the future stand first
        elif own:
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    return tree


made = io.BytesIO()
with tarfile.open("/library.tar.gz") as given, tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
    for entry in given:
        data = given.extractfile(entry).read()
        if f"/library/{entry.name}" in needed:
            own = entry.name.startswith("schemata/")
            data = compiled(without_docstrings(data) if own else data, f"/lib/{entry.name}", 0 if own else 2)
            entry.name += "c"
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
Path("/library.tar.gz").write_bytes(gzip.compress(made.getvalue(), 9, mtime=0))

useless = re.compile(
    r"(_pydatetime|_pydecimal|_pyio|_pyrepl|argparse|bdb|cProfile|cmd|compileall|configparser|doctest|filecmp|fileinput|ftplib|gettext"
    r"|imaplib|mailbox|modulefinder|netrc|optparse|pdb|pickletools|plistlib|poplib|profile|pstats|pyclbr|pydoc|shelve|smtplib"
    r"|socketserver|symtable|tabnanny|timeit|trace|unittest|wave|wsgiref|xml|xmlrpc|zipapp|ctypes/macholib)(/|\\.py)"
    r"|(asyncio/(proactor_events|windows_\\w+)|ctypes/(_aix|wintypes)|http/(cookiejar|cookies|server)|logging/(config|handlers)"
    r"|multiprocessing/(forkserver|heap|managers|pool|popen_\\w+|resource_\\w+|shared\\w+|spawn))\\.py"
    r"|encodings/(?!(__init__|aliases|ascii|cp437|cp1252|idna|latin_1|punycode|raw_unicode_escape|unicode_escape|utf_\\w+)\\.py)"
)
with zipfile.ZipFile("/stdlib.zip") as given, zipfile.ZipFile("/small.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name in given.namelist():
        if name.endswith("/") or useless.match(name):
            continue
        data = given.read(name)
        if f"{home}/{name}" in needed:
            data = compiled(data, f"/lib/python/{name}", 2)
            name += "c"
        archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
`);
fs.writeFileSync(path.join(target, "library.tar.gz"), python.FS.readFile("/library.tar.gz"));
fs.writeFileSync(path.join(target, "python_stdlib.zip"), python.FS.readFile("/small.zip"));
process.exit(0);
