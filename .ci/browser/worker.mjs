// The worker of the page under node, without a browser: it answers as the page asks it, is stopped, and says how long things
// take.  node worker.mjs PAGE [FIGURES.json [PAGE.md]]: the last has its table of figures written again.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { pathToFileURL } from "node:url";
import { Worker as Thread, isMainThread, parentPort, workerData } from "node:worker_threads";

if (!isMainThread) {
  // What a worker has in a browser, of what the page's worker uses.
  const folder = workerData;
  globalThis.fetch = async (url) => new Response(fs.readFileSync(new URL(url)));
  globalThis.postMessage = (data) => parentPort.postMessage(data);
  globalThis.addEventListener = (name, act) => parentPort.on(name, (data) => act({ data }));
  await import(pathToFileURL(path.join(folder, "worker.js")).href);
  parentPort.postMessage({ loaded: true });
} else {
  await main(path.resolve(process.argv[2]), ...process.argv.slice(3));
  process.exit(0);
}

async function main(folder, figuresFile, page) {
  const { makeClient, Stopped } = await import(pathToFileURL(path.join(folder, "client.js")).href);

  // A thread as the page's client sees a worker; messages wait until it listens.
  class Worker {
    constructor() {
      this.thread = new Thread(new URL(import.meta.url), { workerData: folder });
      this.loaded = new Promise((done) => this.thread.on("message", (data) => data.loaded && done()));
    }
    addEventListener(name, act) {
      this.thread.on(name, (data) => (name === "message" ? !data.loaded && act({ data }) : act({ message: String(data) })));
    }
    postMessage(data) {
      this.loaded.then(() => this.thread.postMessage(data));
    }
    terminate() {
      this.thread.terminate();
    }
  }

  async function started() {
    const from = performance.now();
    let seconds = null;
    let client = null;
    await new Promise((ready, failed) => {
      client = makeClient((said) => {
        if (said === "ready" && seconds === null) {
          seconds = (performance.now() - from) / 1000;
          ready();
        } else if (said.startsWith("failed")) failed(new Error(said));
      }, () => new Worker());
      client.start();
    });
    return { client, seconds };
  }

  const { groups } = JSON.parse(fs.readFileSync(path.join(folder, "catalogue.json"), "utf8"));
  const text = (name) => groups.flatMap((one) => one.schemata).find((one) => one.name === name).text;
  const schema = text("eisner1996");
  const ready = [];
  const work = [];  // seconds of the processor
  let client = null;
  for (let k = 0; k < 3; k += 1) {
    const before = process.cpuUsage();
    const found = await started();
    const { user, system } = process.cpuUsage(before);
    work.push((user + system) / 1e6);
    ready.push(found.seconds);
    client = found.client;
    if (k < 2) client.end();
  }

  // Findings, after a change of one letter each time; runs of ten words that have not been run before.
  const timed = async (question) => {
    const from = performance.now();
    const answer = await client.ask(question);
    assert.ok(!answer.errors, JSON.stringify(answer.errors));
    return [performance.now() - from, answer];
  };
  const [first] = await timed({ ask: "check", schema });
  const checks = [];
  const runs = [];
  const answers = [];
  for (let k = 0; k < 8; k += 1) {
    checks.push((await timed({ ask: "check", schema: `${schema}\n# ${k}\n` }))[0]);
    const words = Array.from({ length: 10 }, (_, j) => `w${k}${j}`).join(" ");
    const [milliseconds, answer] = await timed({ ask: "run", schema, sentence: words, grammar: "all" });
    answers.push(milliseconds);
    runs.push(answer.seconds * 1000);
    assert.deepEqual([answer.accepted, answer.items, answer.steps], [true, 155, 725]);
  }

  // Every question is answered: what the library needs for it is there.
  const about = { schema, sentence: "the cat sat", grammar: "all" };
  const scores = Array.from({ length: 4 }, () => Array(4).fill(0));
  const questions = {
    check_grammar: {}, prepare: {}, complete: { line: 5, character: 2 }, hover: { line: 5, character: 3 }, picture: {}, structures: { drawn: true },
    item: { item: "span[0, 3, false, true]" }, final: { sentence: "a b c", grammar: "heads:3,3,0" }, cell: { first: 1, last: 2 }, derivation: {}, step: { past: [] },
    verify: { class_name: "projective", max_n: 3 }, compare: { others: ["collins1996"], max_n: 3 }, relate: { other: "eisner-satta1999", kind: "step-refinement", max_n: 2 },
    cost: {}, weights: { scores }, exercise: { exercise: "15-mend-collins" },
    examples: { examples: [{ sentence: "a b", expected: "accepted" }] }, grade: { exercise: "06-collins-items", given: "C(n+2, 3) - n" },
  };
  const found = {};
  for (const [ask, more] of Object.entries(questions)) {
    found[ask] = await client.ask({ ...about, ask, ...more });
    assert.ok(!found[ask].errors || ask === "final", `${ask}: ${JSON.stringify(found[ask].errors)}`);
  }
  assert.equal(found.grade.right, true);
  assert.equal(found.structures.distinct, 12);
  assert.deepEqual([found.verify.complete, found.verify.sound, found.verify.each_once], [true, true, false]);
  assert.equal(found.weights.total.toFixed(6), Math.log(16).toFixed(6));
  assert.equal(found.examples.examples[0].holds, true);

  // Signs that are as wide as two, and such as have no width.
  const wide = await client.ask({ ask: "check", schema: `${schema}\nstep 猫 e\u0301\n  spam[j]\n  -------\n  span[ß, j]\n` });
  assert.ok(wide.findings?.some((one) => one.line), JSON.stringify(wide));

  // A run without end is stopped, and another answer comes.
  const endless = "schema endless\n  grammar d-rules\nitem p[k: integer]\nstep First\n  ---\n  p[0]\nstep Next\n  p[k]\n  ---\n  p[k + 1]\nfinal p[-1]\n";
  const stopped = client.ask({ ask: "run", schema: endless, sentence: "a b", seconds: 600 });
  stopped.catch(() => {});
  await new Promise((done) => setTimeout(done, 1_000));
  client.stop();
  await assert.rejects(stopped, Stopped);
  const limited = await client.ask({ ask: "run", schema: endless, sentence: "a b", seconds: 1 });
  assert.equal(limited.stopped, "seconds");
  assert.equal((await client.ask({ ask: "run", schema, sentence: "a b", grammar: "all" })).accepted, true);

  let bytes = 0;
  for (const one of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!one.isFile() || one.name.endsWith(".whl")) continue;
    const whole = fs.readFileSync(path.join(one.parentPath ?? one.path, one.name));
    bytes += Math.min(whole.length, zlib.gzipSync(whole, { level: 9 }).length);
  }
  assert.ok(bytes < 8e6, `${bytes} bytes`);
  const figures = {
    megabytes: bytes / 1e6, ready: Math.min(...ready), work: Math.min(...work), first, check: Math.min(...checks), run: Math.min(...runs), answer: Math.min(...answers),
  };
  console.log(Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(["ready", "work", "megabytes"].includes(name) ? 2 : 0)}`).join(", "));
  if (figuresFile) fs.writeFileSync(figuresFile, JSON.stringify(figures));
  if (page) {
    const rows = [
      ["fetched until the first run, compressed", `${figures.megabytes.toFixed(2)} MB`],
      ["ready, of the processor", `${figures.work.toFixed(1)} s`],
      ["findings after a change", `${figures.check.toFixed(0)} ms`],
      ["a run of ten words", `${figures.run.toFixed(0)} ms`],
      ["its whole answer: counts of items, steps, derivations", `${figures.answer.toFixed(0)} ms`],
    ];
    const table = ["| | |", "|---|---:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
    const text = fs.readFileSync(page, "utf8");
    const marked = /(<!-- figures -->\n)[^]*(<!-- end of the figures -->)/;
    assert.match(text, marked);
    fs.writeFileSync(page, text.replace(marked, (_, before, after) => `${before}${table}\n${after}`));
  }
}
