// Examples beside the schema: a sentence and what is expected of it, green or red at each pause.
import { h, put } from "./dom.js";

export function makeExamples(page, changed) {
  const rows = h("tbody", {});
  const count = h("span", { class: "note", "aria-live": "polite" });
  const element = h("details", { class: "examples", open: true },
    h("summary", {}, "Examples ", count),
    h("table", {}, h("thead", {}, h("tr", {}, ["", "sentence", "expected", ""].map((one, k) => (one ? h("th", { scope: "col" }, one) : h("td", {}, k ? "" : ""))))), rows),
    h("button", { type: "button", on: { click: () => {
      page.state.examples.push({ sentence: page.state.sentence, expected: "accepted" });
      draw();
      changed();
    } } }, "Add the sentence"));
  let states = [];

  function draw() {
    states = page.state.examples.map((example, k) => {
      const state = h("td", { class: "state" }, "…");
      const edit = (name, label, list) => h("input", {
        type: "text", value: example[name], "aria-label": `${label} of example ${k + 1}`, spellcheck: "false", list,
        on: { input: (event) => {
          example[name] = event.target.value;
          changed();
        } },
      });
      return { state, row: h("tr", {}, state, h("td", {}, edit("sentence", "sentence")), h("td", {}, edit("expected", "expectation", "expectations")),
        h("td", {}, h("button", { type: "button", class: "plain", "aria-label": `remove example ${k + 1}`, on: { click: () => {
          page.state.examples.splice(k, 1);
          draw();
          changed();
        } } }, "×"))) };
    });
    put(rows, states.map((one) => one.row));
    put(count, page.state.examples.length ? "" : "(none yet)");
  }

  // The outcomes of the examples, in order; null while they are not known.
  function show(found) {
    if (!found || found.length !== states.length) {
      states.forEach((one) => {
        one.state.className = "state";
        put(one.state, "…");
      });
      return;
    }
    found.forEach((one, k) => {
      const kind = one.holds === true ? "yes" : one.holds === false ? "no" : "unknown";
      states[k].state.className = `state ${kind}`;
      states[k].state.title = one.said;
      put(states[k].state, h("span", { class: "sign" }, { yes: "✓", no: "✗", unknown: "?" }[kind]), h("span", { class: "hidden-text" }, `${kind}: ${one.said}`));
    });
    const good = found.filter((one) => one.holds === true).length;
    put(count, found.length ? `${good} of ${found.length} as expected` : "(none yet)");
  }

  return { element, draw, show };
}
