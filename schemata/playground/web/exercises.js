// Exercises: a task with what it is about, an answer, and its grade with the counterexample. Where a schema is the answer,
// it is written in the page's editor.
import { field, findings, h, put, scroll } from "./dom.js";
import { makeInquiry } from "./inquiry.js";
import { picture } from "./pictures.js";
import { slider } from "./slider.js";
import { Stopped } from "./client.js";
import { counterexamples } from "./verify.js";

const VARIED = new Set(["next-item", "count", "second-derivation", "mend"]);  // kinds that have variants
const SAID = { true: ["yes", "✓ right"], false: ["no", "✗ wrong"], null: ["unknown", "? not known"] };

export function make(panel, page) {
  let task = null;
  let shownFor = null;
  const names = () => page.exercises.map((one) => one.name);
  const menu = h("select", { on: { change: () => choose(menu.value) } });
  const chosen = field("Exercise", menu);
  const head = h("div", { class: "row" });
  const body = h("div", {});
  const inquiry = makeInquiry(page);
  put(panel, head, body, ...inquiry.elements);

  function choose(name, variant = null) {
    Object.assign(page.state, { exercise: name, variant, answer: "" });
    page.remember();
    inquiry.clear();
    refresh();
  }

  async function refresh() {
    if (!page.exercises.length) {
      put(body, h("p", {}, "This page has no exercises."));
      return;
    }
    const { exercise, variant } = page.state;
    const entry = page.exercises.find((one) => one.name === exercise) ?? page.exercises[0];
    page.state.exercise = entry.name;
    const key = `${entry.name} ${variant}`;
    drawHead(entry);
    if (key === shownFor) return;
    if (shownFor !== null) inquiry.clear();
    shownFor = key;
    try {
      const answer = await page.ask({ ask: "exercise", exercise: entry.name, text: entry.text ?? "", variant }, { key: "exercise" });
      if (key !== shownFor) return;
      task = answer.errors ? null : answer;
      if (answer.errors) put(body, findings(answer.errors));
      else drawTask();
    } catch (problem) {
      shownFor = null;
      if (!(problem instanceof Stopped)) throw problem;
    }
  }

  function drawHead(entry) {
    const at = names().indexOf(entry.name);
    const go = (by, text) => h("button", { type: "button", disabled: !names()[at + by], on: { click: () => choose(names()[at + by]) } }, text);
    if (!menu.options.length) menu.append(...page.exercises.map((one) => h("option", { value: one.name }, `${one.name} – ${one.title}`)));
    menu.value = entry.name;
    if (!head.children.length || head.dataset.shown !== entry.name) {
      head.dataset.shown = entry.name;
      put(head, chosen, go(-1, "Earlier"), go(1, "Next"),
        VARIED.has(entry.kind) && h("button", { type: "button", on: { click: () => choose(entry.name, Math.floor(Math.random() * 1000)) } }, "A variant"));
    }
  }

  function drawTask() {
    const lengths = task.lengths ?? [];
    const facts = [
      task.sentence && `Sentence: ${task.sentence.join(" ")}`,
      task.kind === "count" && `Count: ${task.count}${lengths.length ? `, of sentences of ${lengths[0]} to ${lengths.at(-1)} words` : ""}`,
      task.choices?.length > 0 && `Choose from: ${task.choices.join(", ")}`,
      task.of_schema && `It is to derive ${task.class ? `exactly the class ${task.class}` : `what ${task.same_as} derives`}${task.once ? ", each structure once" : ""}, to ${task.max_n} words.`,
    ].filter(Boolean);
    put(body,
      h("h3", {}, task.title, task.variant === null || task.variant === undefined ? "" : `, variant ${task.variant}`),
      task.task.split(/\n\s*\n/).map((text) => h("p", { class: "task" }, text.split("\n").some((line) => /^\s/.test(line)) ? h("pre", {}, text) : text)),
      facts.map((text) => h("p", {}, text)),
      task.kind === "next-item" && h("div", {}, h("h4", {}, "Items taken"),
        h("ul", { class: "offers" }, task.taken.length ? task.taken.map((one) => h("li", {}, h("code", {}, one))) : h("li", {}, "nothing yet"))),
      task.svg && scroll(task.kind === "next-item" ? "the items taken" : "the tree", picture(task.svg)),
      task.shown && h("div", {}, h("h4", {}, "One derivation"), slider(task.shown, { title: "the derivation shown" }),
        h("ol", {}, task.shown.steps.map((step) => h("li", {}, h("code", {}, step.text))))),
      task.rules && !task.of_schema && h("details", { open: true }, h("summary", {}, `The rules of ${task.schema}`), h("pre", {}, task.rules)),
      task.grammar && task.grammar.includes("\n") && h("details", {}, h("summary", {}, "The grammar"), h("pre", {}, task.grammar)),
      task.of_schema ? ofSchema() : ofText());
  }

  function ofSchema() {
    return h("div", { class: "row" },
      task.broken && h("button", { type: "button", on: { click: () => page.setSchema(task.broken) } }, "Put the broken schema into the editor"),
      h("button", { type: "button", class: "primary", on: { click: () => grade(page.state.schema) } }, "Grade the schema in the editor"));
  }

  function ofText() {
    const many = task.kind === "second-derivation";
    const box = h(many ? "textarea" : "input", many ? { rows: "7", spellcheck: "false" } : { type: "text", spellcheck: "false", autocomplete: "off" });
    box.value = page.state.answer;
    box.addEventListener("input", () => {
      page.state.answer = box.value;
      page.remember();
    });
    return h("form", { class: "answer", on: { submit: (event) => {
      event.preventDefault();
      grade(box.value);
    } } }, field(`Answer: ${task.answer}`, box), h("button", { type: "submit", class: "primary" }, "Grade"));
  }

  function grade(given) {
    const entry = page.exercises.find((one) => one.name === task.exercise);
    const question = { ask: "grade", exercise: task.exercise, text: entry?.text ?? "", variant: task.variant ?? null, given };
    inquiry.ask(question, graded, { about: "grading" });
  }

  function graded(answer) {
    const [kind, word] = SAID[String(answer.right)];
    return [
      h("p", { class: "badges" }, h("span", { class: `badge ${kind}` }, word)),
      h("p", {}, answer.message),
      answer.hint && h("p", { class: "note" }, `Hint: ${answer.hint}`),
      answer.evidence.map((one) => [
        counterexamples(one.counterexamples, page),
        one.svg && scroll("what the grade rests on", picture(one.svg)),
        one.derivation && slider(one.derivation, { title: "the derivation" }),
        h("details", { open: !one.svg && !one.derivation && !one.counterexamples.length }, h("summary", {}, "In words"), h("pre", {}, one.text)),
      ]).flat(2),
    ];
  }

  return { refresh };
}
