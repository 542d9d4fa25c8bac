// The page: what is written at the left, what is known of it at the right. `state` is what the link holds.
import { makeClient, Stopped } from "./client.js";
import { choice, field, findings, h, number, put } from "./dom.js";
import { makeEditor } from "./editor.js";
import { makeExamples } from "./examples.js";
import { checked, EMPTY, read, written } from "./link.js";
import { makeTabs } from "./tabs.js";
import * as chart from "./chart.js";
import * as compare from "./compare.js";
import * as costs from "./costs.js";
import * as derivations from "./derivations.js";
import * as exercises from "./exercises.js";
import * as relate from "./relate.js";
import * as stepping from "./stepping.js";
import * as trees from "./trees.js";
import { STRUCTURES } from "./trees.js";
import * as verify from "./verify.js";
import * as weights from "./weights.js";

const PAUSE = 60;  // milliseconds without a key until findings are asked for
const LISTED = 20;  // findings below the schema
const LATER = 250;  // and until the sentence is run
const VIEWS = { chart: ["Chart", chart], trees: ["Trees", trees], derivation: ["Derivation", derivations], step: ["Step", stepping],
  verify: ["Verify", verify], compare: ["Compare", compare], relate: ["Relate", relate], cost: ["Cost", costs], weights: ["Weights", weights],
  exercises: ["Exercises", exercises] };
const NOT_BY_ITSELF = new Set(["verify", "compare", "relate"]);  // these are asked by a button; elsewhere each pause asks

const find = (id) => document.getElementById(id);
const began = performance.now();
const figures = { ready: null, checked: null, run: null };  // milliseconds, for the test in a browser
globalThis.schemataFigures = figures;

let catalogue = null;
let state = structuredClone(EMPTY);
let info = null;  // what the last check said of a schema without errors
let runs = new Map();
let quickState = "starting";
let longState = "";

const quick = makeClient((said) => {
  if (said === "ready" && figures.ready === null) figures.ready = performance.now() - began;
  quickState = said;
  tell();
});
const long = makeClient((said) => {
  longState = said;
  tell();
});

// What is shown of the run and of the work.
const line = h("p", { class: "status", role: "status" });
const stop = h("button", { type: "button", class: "stop", disabled: true, on: { click: stopAll } }, "Stop");
const limit = h("input", { type: "number", min: "1", max: "600", value: "20" });
const notice = h("div", { class: "notice", "aria-live": "polite" });

const page = {
  get state() {
    return state;
  },
  get info() {
    return info;
  },
  key: () => JSON.stringify([state.schema, state.parameters, state.sentence, state.grammar]),
  get exercises() {
    return catalogue.exercises;
  },
  // What follows from a change of the state that is not in an editor: of the answer to an exercise.
  remember,
  // Puts a schema into the editor, for a text that an exercise begins with.
  setSchema(text) {
    state.name = "";
    named();
    editor.text = text;
  },
  names() {
    const kind = info?.grammar;
    return catalogue.groups.filter((one) => one.name !== "of this page").flatMap((group) => group.schemata)
      .filter((one) => (!kind || one.grammar === kind) && one.name !== info?.name).map((one) => one.name).sort();
  },
  ask: (question, options) => quick.ask({ ...base(), ...question }, options),
  askLong: (question, options) => long.ask({ ...base(), ...question }, options),
  // The answer to a question about the run of what is written now, asked once: its figures, its chart, its structures.
  async run(question = { ask: "run" }) {
    const about = JSON.stringify(question);
    const key = `${page.key()} ${about}`;
    if (!runs.has(key)) {
      if (runs.size > 12) runs = new Map();
      const started = performance.now();
      const asked = page.ask(question, { key: about });
      runs.set(key, asked);
      asked.then(() => {
        if (question.ask === "run") figures.run = performance.now() - started;
      }, () => runs.delete(key));
    }
    return runs.get(key);
  },
  setSentence(sentence, grammar) {
    boxes.sentence.value = sentence;
    if (grammar !== undefined) grammarEditor.text = grammar;
    changed();
    tabs.show("chart");
  },
  addExample(sentence, expected) {
    state.examples.push({ sentence, expected });
    examples.draw();
    changed();
  },
};

function base() {
  const seconds = Math.min(600, Math.max(1, Number(limit.value) || 20));
  return { schema: state.schema, set: state.parameters, sentence: state.sentence, grammar: state.grammar, seconds };
}

function stopAll() {
  quick.stop();
  long.stop();
  runs = new Map();
}

let shownBusy = null;
function tell() {
  const failed = [quickState, longState].find((one) => one.startsWith("failed"));
  const busy = quickState === "busy" || longState === "busy" || longState === "starting";
  stop.disabled = !busy;
  document.body.dataset.state = failed ? "failed" : quickState === "starting" ? "starting" : busy ? "busy" : "ready";
  clearTimeout(shownBusy);
  if (failed) put(line, `Python cannot be started: ${failed.slice(8)}`);
  else if (quickState === "starting") put(line, "Python is starting …");
  else if (busy) shownBusy = setTimeout(() => put(line, "at work …"), 300);
  else summary();
}

async function summary() {
  const known = (question) => runs.get(`${page.key()} ${JSON.stringify(question)}`)?.catch(() => null);
  const [answer, counted] = await Promise.all([known({ ask: "run" }), known(STRUCTURES) ?? known({ ask: "structures" })]);
  if (quickState !== "ready" || longState === "busy") return;
  if (!answer || answer.errors) {
    if (document.body.dataset.shown === "yes") put(line, info ? "" : "The schema has errors.");
    return;
  }
  const distinct = counted?.distinct ?? null;  // it comes later
  const trees = distinct === null ? "" : `${number(distinct)} ${distinct === 1 ? "structure" : "structures"}`;
  const figure = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;
  put(line,
    h("span", { class: `badge ${answer.accepted ? "yes" : "no"}` }, answer.accepted ? "✓ accepted" : "✗ not accepted"),
    h("span", {}, figure(answer.items, "item", "items")), h("span", {}, figure(answer.steps, "step", "steps")),
    h("span", {}, figure(answer.derivations, "derivation", "derivations")), trees && h("span", {}, trees),
    h("span", { class: "note" }, `${(answer.seconds * 1000).toFixed(1)} ms`),
    answer.stopped && h("span", { class: "badge unknown" }, `the limit of ${answer.stopped} was hit`));
}

// What is written -----------------------------------------------------------------------------------------

const boxes = { sentence: h("input", { type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" }) };
const parameters = h("div", { class: "row" });
const messages = h("div", { class: "messages", "aria-live": "polite" });
let editor = null;
let grammarEditor = null;
let examples = null;
let tabs = null;
const views = new Map();
let pausing = null;
let running = null;
let isLoading = false;

function changed() {
  if (isLoading) return;
  state.schema = editor.text;
  state.sentence = boxes.sentence.value;
  state.grammar = grammarEditor.text;
  document.body.dataset.shown = "no";
  clearTimeout(pausing);
  clearTimeout(running);
  pausing = setTimeout(check, PAUSE);
}

async function check() {
  const started = performance.now();
  const asked = page.key();
  try {
    const answer = await page.ask({ ask: "check" }, { key: "check" });
    const found = answer.errors ?? answer.findings;
    editor.mark(found);
    figures.checked = performance.now() - started;
    tellFindings(found);
    if (answer.ok) {
      info = answer;
      drawParameters();
      const grammar = await page.ask({ ask: "check_grammar" }, { key: "check_grammar" });
      grammarEditor.mark((grammar.errors ?? grammar.findings).filter((one) => one.line));
      page.ask({ ask: "prepare" }, { key: "prepare" }).catch(() => {});  // while nothing else is to do
    } else if (!answer.ok) {
      info = null;
    }
    if (asked === page.key()) running = setTimeout(showAll, Math.max(0, LATER - (performance.now() - started)));
  } catch (problem) {
    if (!(problem instanceof Stopped)) tell();
    if (problem.message !== "asked again") document.body.dataset.shown = "yes";
  }
  remember();
}

function tellFindings(found) {
  put(messages, found.slice(0, LISTED).map((one) => h("button", {
    type: "button", class: `message ${one.severity === "warning" ? "warning" : "error"}`, on: { click: () => editor.go(one.line ?? 1, one.column ?? 1) },
  }, h("strong", {}, one.line ? `${one.line}:${one.column} ` : ""), one.message, one.hint && h("span", { class: "note" }, ` ${one.hint}`))),
  found.length > LISTED && h("p", { class: "note" }, `and ${number(found.length - LISTED)} more`));
}

// Shows all that is known of what is written; the page says in `data-shown` when it has.
async function showAll() {
  const asked = page.key();
  await shown();
  if (asked === page.key()) document.body.dataset.shown = "yes";
  summary();
}

async function shown() {
  if (!info) {
    examples.show(null);
    return;
  }
  const name = tabs.shown;
  try {
    const answer = await page.run();
    if (answer.errors) put(notice, findings(answer.errors));
    else put(notice, answer.findings.length > 0 && findings(answer.findings));
    summary();
    await views.get(name).refresh();
    if (state.examples.length) {
      const found = await page.ask({ ask: "examples", examples: state.examples }, { key: "examples" });
      examples.show(found.examples ?? null);
    }
    if (name !== "trees") await page.run({ ask: "structures" });
  } catch (problem) {
    if (!(problem instanceof Stopped)) put(notice, h("p", {}, problem.message));
    else if (problem.message === "stopped") put(notice, h("p", {}, "Stopped. Change something to run again."));
  }
}

function drawParameters() {
  const shown = JSON.stringify(info.parameters.map((one) => one.name));
  if (parameters.dataset.shown === shown) return;
  parameters.dataset.shown = shown;
  put(parameters, info.parameters.map((one) => h("span", {}, field(one.name, h("input", {
    type: "number", value: state.parameters[one.name] ?? one.value, on: { input: (event) => {
      const value = Number(event.target.value);
      if (Number.isSafeInteger(value) && event.target.value !== "") state.parameters[one.name] = value;
      else delete state.parameters[one.name];
      changed();
    } },
  })))));
}

// The link --------------------------------------------------------------------------------------------------

let own = "";
async function remember() {
  const hash = `#${await written({ ...state, tab: tabs.shown })}`;
  if (hash.length < 100_000) {
    own = hash;
    history.replaceState(null, "", hash);
  }
}

async function fromLink() {
  if (!location.hash || location.hash === own) return false;
  try {
    const found = await read(location.hash);
    if (found) load(found);
    return Boolean(found);
  } catch (problem) {
    put(notice, h("div", { class: "finding error" }, h("p", {}, "The link is damaged: it cannot be read.")));
    return false;
  }
}

function load(given) {
  isLoading = true;
  state = { ...checked(given) };
  runs = new Map();
  parameters.dataset.shown = "";
  put(parameters);
  editor.text = state.schema;
  boxes.sentence.value = state.sentence;
  grammarEditor.text = state.grammar;
  examples.draw();
  isLoading = false;
  named();
  tabs.show(state.tab in VIEWS ? state.tab : "chart");
  changed();
}

// The menu names the schema that was chosen, until another text takes its place.
function named() {
  const menu = find("menu");
  menu.value = state.name;
  if (menu.selectedIndex < 0) menu.value = "";
}

function choose(name) {
  const entry = catalogue.groups.flatMap((group) => group.schemata).find((one) => one.name === name);
  if (!entry) return;
  const given = { ...EMPTY, schema: entry.text, sentence: entry.sentence ?? state.sentence, grammar: entry.given ?? state.grammar, name, tab: tabs.shown ?? "chart" };
  given.examples = entry.expected ? [{ sentence: entry.sentence, expected: entry.expected }] : [];
  load(given);
}

// The beginning -------------------------------------------------------------------------------------------------

async function begin() {
  quick.start();
  catalogue = await (await fetch("catalogue.json")).json();
  const menu = h("select", { id: "menu", on: { change: (event) => event.target.value && choose(event.target.value) } },
    h("option", { value: "" }, "choose a schema"),
    catalogue.groups.map((group) => {
      const options = h("optgroup", { label: group.name.replaceAll("-", " ") });
      options.append(...group.schemata.map((one) => h("option", { value: one.name }, one.name === one.title ? one.name : `${one.name} – ${one.title}`)));
      return options;
    }));
  const copied = h("span", { class: "note", role: "status" });
  put(find("top"), field("Catalogue", menu), h("button", { type: "button", on: { click: async () => {
    await remember();
    try {
      await navigator.clipboard.writeText(location.href);
      put(copied, "copied");
    } catch {
      put(copied, "the link is in the address bar");
    }
    setTimeout(() => put(copied), 3000);
  } } }, "Copy link"), copied);

  const holder = h("div", { class: "editor", id: "schema" });
  const grammarHolder = h("div", { class: "editor small", id: "grammar" });
  const language = catalogue.language;
  editor = makeEditor({ parent: holder, label: "the schema", language, onChange: changed, complete, hover });
  grammarEditor = makeEditor({ parent: grammarHolder, label: "the grammar", language, onChange: changed, complete: null, hover: null, schema: false });
  boxes.sentence.addEventListener("input", changed);
  examples = makeExamples(page, changed);
  const mine = catalogue.grammars;
  put(find("left"),
    h("h2", { class: "hidden-text" }, "What is written"),
    holder, messages, parameters,
    h("div", { class: "sentence" }, field("Sentence", boxes.sentence)),
    h("div", { class: "grammar" }, h("span", { class: "label" }, "Grammar: ", h("span", { class: "note" }, "all, heads:2,3,0, example, or rules")),
      mine.length > 0 && field("of this page", choice([["", "–"], ...mine.map((one) => [one.name])], "", { change: (event) => {
        const found = mine.find((one) => one.name === event.target.value);
        if (found) grammarEditor.text = found.text;
      } })), grammarHolder),
    examples.element,
    h("datalist", { id: "expectations" }, ["accepted", "not accepted", "1"].map((one) => h("option", { value: one }))));

  tabs = makeTabs(Object.entries(VIEWS).map(([name, [title]]) => [name, title]), (name) => {
    state.tab = name;
    if (info || name === "exercises") {
      const done = views.get(name).refresh();
      done?.catch?.((problem) => {
        if (!(problem instanceof Stopped)) put(notice, h("p", {}, problem.message));
      });
    }
    if (NOT_BY_ITSELF.has(name) && quickState === "ready") long.start();
    remember();
  });
  for (const [name, [, view]] of Object.entries(VIEWS)) views.set(name, view.make(tabs.panel(name), page));
  put(find("right"),
    h("h2", { class: "hidden-text" }, "What is derived"),
    h("div", { class: "bar" }, line, h("div", { class: "row" }, field("limit, s", limit), stop)),
    notice, tabs.list, ...tabs.panels);
  addEventListener("hashchange", fromLink);
  if (!(await fromLink())) choose(catalogue.first);
}

const KINDS = { keyword: "keyword", type: "type", variable: "variable", item: "class", step: "function", value: "constant", snippet: "text" };

// What can stand at a place of the schema; nothing while Python is at work with other things.
async function complete(place) {
  try {
    const { proposals = [] } = await quick.ask({ ...base(), schema: editor.text, ask: "complete", ...place }, { key: "complete" });
    return proposals.map((one) => ({ label: one.label, type: KINDS[one.kind] ?? "text", detail: one.detail, info: one.about || undefined,
      apply: one.snippet ? plain(one.edit.newText) : one.edit.newText }));
  } catch {
    return [];
  }
}

// A snippet with its places filled in as they are named: ${1:span} is span.
function plain(snippet) {
  return snippet.replace(/\$\{\d+:([^}]*)\}/g, "$1").replace(/\$\d/g, "");
}

async function hover(place) {
  try {
    const { text } = await quick.ask({ ...base(), schema: editor.text, ask: "hover", ...place }, { key: "hover" });
    return text ? text.replace(/^```.*$\n?/gm, "").replaceAll("`", "").replaceAll("**", "").trim() : null;
  } catch {
    return null;
  }
}

begin().catch((problem) => {
  const file = location.protocol === "file:";
  put(find("right"), h("p", { class: "finding error" }, file ? "Browsers start no worker from a file: serve this folder, say with `python -m http.server`." : `The page cannot be started: ${problem.message}`));
});
