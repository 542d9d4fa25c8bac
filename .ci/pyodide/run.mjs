// Unpacks wheels into a fresh Pyodide, runs a Python file there, and writes what it leaves in answers.json.
//     node run.mjs WHEELS FILE.py ANSWERS.json
import fs from "node:fs";
import path from "node:path";
import { loadPyodide } from "pyodide";

const [wheels, file, answers] = process.argv.slice(2);
const python = await loadPyodide();
const home = python.FS.cwd();
const extractDir = python.runPython("import site; site.getsitepackages()[0]");
for (const wheel of fs.readdirSync(wheels)) {
  python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(wheels, wheel))), "wheel", { extractDir });
}
try {
  python.runPython(fs.readFileSync(file, "utf8"), { globals: python.toPy({ __name__: "__main__" }), filename: file });
  fs.writeFileSync(answers, python.FS.readFile(`${home}/answers.json`, { encoding: "utf8" }));
} catch (error) {
  console.error(error.message ?? error);
  process.exit(1);
}
