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

async function start(shared) {
  const library = bytes("library.tar.gz");
  library.catch(() => {});  // it is awaited below
  python = await loadPyodide();  // its files are beside it
  if (shared) python.setInterruptBuffer(new Uint8Array(shared));
  const extractDir = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await library, "gztar", { extractDir });
  answer = python.runPython("from schemata.playground.answers import answer_text; answer_text");
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
