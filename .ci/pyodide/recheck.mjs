// Checks certificates that are shipped again in Pyodide, with the solver compiled for it.
//     node recheck.mjs WHEELS SOLVER.whl NAME ...
import fs from "node:fs";
import path from "node:path";
import { loadPyodide } from "pyodide";

const [wheels, solver, ...names] = process.argv.slice(2);
const python = await loadPyodide();
const extractDir = python.runPython("import site; site.getsitepackages()[0]");
for (const wheel of fs.readdirSync(wheels)) {
  python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(wheels, wheel))), "wheel", { extractDir });
}
await python.loadPackage(path.resolve(solver));
python.globals.set("names", python.toPy(names));
try {
  python.runPython(`
import time
from schemata.correctness.answers import read_certificate, recheck
from schemata.correctness.shipped import shipped_certificate

for name in names:
    began = time.perf_counter()
    refused = recheck(name, read_certificate(shipped_certificate(name)))
    print(f"{name}: {refused or 'accepted'}, {time.perf_counter() - began:.1f} s")
    assert not refused
assert recheck("vine", read_certificate(shipped_certificate(names[0])))
`);
} catch (error) {
  console.error(error.message ?? error);
  process.exit(1);
}
process.exit(0);
