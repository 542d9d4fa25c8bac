// Python, in a worker of its own: questions come as messages { id, question }, answers go back as { id, answer }, and how
// far the work is as { id, progress }. Nothing is fetched but files beside this one.
import { loadPyodide } from "./vendor/pyodide/pyodide.mjs";

const here = new URL("./", import.meta.url);
let python = null;
let answer = null;
let solver = null;  // a promise: it is fetched once, when a question wants it

async function bytes(name) {
  const response = await fetch(new URL(name, here));
  if (!response.ok) throw new Error(`${name} cannot be fetched (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

// Writes the files of a tar archive, compressed by gzip, below a folder: Python's own way takes half a second for it.
function unpack(tar, folder) {
  const text = (at, most) => new TextDecoder().decode(tar.subarray(at, at + most)).split("\0")[0];
  const made = new Set();
  for (let at = 0; at + 512 <= tar.length && tar[at]; ) {
    const [name, size, front] = [text(at, 100), parseInt(text(at + 124, 12), 8), text(at + 345, 155)];
    const path = `${folder}/${front ? `${front}/` : ""}${name}`;
    const parent = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(parent)) python.FS.mkdirTree(parent);
    made.add(parent);
    python.FS.writeFile(path, tar.subarray(at + 512, at + 512 + size));
    at += 512 + 512 * Math.ceil(size / 512);
  }
}

async function plain(packed) {
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) return packed;  // a server has said how it is compressed
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start(shared) {
  const library = bytes("library.tar.gz").then(plain);
  library.catch(() => {});  // it is awaited below
  const write = (text) => console.log(text);
  python = await loadPyodide({ stdout: write, stderr: write });  // its files are beside it
  if (shared) python.setInterruptBuffer(new Uint8Array(shared));
  const extractDir = python.runPython("import site; site.getsitepackages()[0]");
  unpack(await library, extractDir);
  answer = python.runPython("import importlib; importlib.invalidate_caches(); from schemata.playground.answers import answer_text; answer_text");
}

async function fetchSolver() {
  const { solver: [wheel] } = JSON.parse(new TextDecoder().decode(await bytes("vendor/parts.json")));
  if (!wheel) throw new Error("this page was made without the solver");
  await python.loadPackage(new URL(`vendor/${wheel}`, here).href, { checkIntegrity: false });
}

async function answered({ id, question, needs }) {
  if (needs === "solver") {
    solver ??= fetchSolver();
    try {
      await solver;
    } catch (problem) {
      solver = null;
      return { errors: [{ severity: "error", message: `the solver is not there: ${problem.message}` }] };
    }
  }
  const tell = (text) => postMessage({ id, progress: JSON.parse(text) });
  try {
    return JSON.parse(answer(JSON.stringify(question), tell));
  } catch (problem) {
    if (problem.type === "KeyboardInterrupt") return { stopped: "interrupt", errors: [{ severity: "warning", message: "stopped" }] };
    const said = String(problem.message ?? problem).trim().split("\n").at(-1);
    return { errors: [{ severity: "error", message: `a fault of the page: ${said}` }], fault: String(problem.message ?? problem) };
  }
}

let work = Promise.resolve();
addEventListener("message", ({ data }) => {
  if (data.start) {
    work = start(data.shared).then(
      () => postMessage({ ready: true }),
      (problem) => postMessage({ failed: String(problem.message ?? problem) }),
    );
  } else {
    work = work.then(async () => postMessage({ id: data.id, answer: await answered(data) }));
  }
});
