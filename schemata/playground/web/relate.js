// Relations between this schema and another; with the solver, for every number of words.
import { choice, field, h, put } from "./dom.js";
import { makeInquiry } from "./inquiry.js";
import { badge } from "./verify.js";

const KINDS = ["step-refinement", "item-refinement", "static-filter", "dynamic-filter", "step-contraction", "item-contraction"];
const PROVEN_FROM = 5;  // words of sentences in which all ways of a proof are mostly found, as the command has it

export function make(panel, page) {
  const other = h("div", {});
  const kind = choice([["", "all that hold"], ...KINDS.map((one) => [one])], "");
  const most = h("input", { type: "number", min: "1", max: "6", value: "3" });
  const map = h("input", { type: "text", placeholder: "none", spellcheck: "false", autocomplete: "off" });
  const reverse = h("input", { type: "checkbox" });
  const solver = h("input", { type: "checkbox", on: { change: () => {
    if (solver.checked) most.value = String(Math.max(PROVEN_FROM, Number(most.value)));
  } } });
  const inquiry = makeInquiry(page);
  const form = h("form", { class: "row", on: { submit: (event) => {
    event.preventDefault();
    go();
  } } }, other, field("kind", kind), field("words, at most", most), field("map of items, if it is not found: ITEM to ITEM", map),
  h("div", { class: "checks" }, field("from the other to this one", reverse), field("prove it for every n (fetches a solver, 7 MB)", solver)),
  h("button", { type: "submit", class: "primary" }, "Relate"));
  put(panel, form, ...inquiry.elements);

  function fill() {
    put(other, field("another schema", choice(page.names().map((one) => [one]), other.querySelector("select")?.value ?? page.names()[0])));
  }

  function go() {
    const question = { ask: "relate", other: other.querySelector("select").value, kind: kind.value, max_n: Number(most.value), reverse: reverse.checked, map: map.value };
    inquiry.ask(question, (answer) => [
      h("p", { class: "badges" }, answer.answers.map((one) => badge(one.kind, one.holds, one.every_n ? " for every n" : one.holds ? ` to ${one.max_n} words` : ""))),
      h("pre", {}, answer.text),
    ], { needs: solver.checked ? "solver" : null });
  }

  return { refresh: fill };
}
