// The structures of a run, drawn.
import { findings, h, number, put, scroll } from "./dom.js";
import { picture } from "./pictures.js";

export const STRUCTURES = { ask: "structures", drawn: true };

export function make(panel, page) {
  async function refresh() {
    const answer = await page.run(STRUCTURES);
    if (!answer || answer.errors) {
      put(panel, answer ? findings(answer.errors) : null);
      return;
    }
    if (!answer.structures.length) {
      const ask = h("button", { type: "button", on: { click: why } }, "Why not?");
      put(panel, h("p", {}, answer.accepted ? "The derivations build no structures." : "The sentence is not accepted."), !answer.accepted && ask);
      return;
    }
    const shown = answer.structures.length;
    const all = answer.complete ? `All ${number(shown)}` : `The first ${number(shown)} of ${number(answer.distinct)}`;
    put(panel,
      h("p", { class: "note" }, answer.distinct === 1 ? "The only structure." : `${all} structures.`),
      h("ol", { class: "structures" }, answer.structures.map((one, k) => h("li", {},
        h("div", { class: "row middle" },
          h("span", { class: "note" }, one.heads ? `heads ${one.heads.join(" ")}` : one.text),
          one.heads && h("button", { type: "button", class: "chip", "aria-label": `expect this tree: ${k + 1}`, on: { click: () => page.addExample(page.state.sentence, one.heads.join(",")) } }, "expect this tree")),
        scroll(`structure ${k + 1}`, picture(one.svg) ?? h("pre", {}, one.text))))));
  }

  async function why() {
    const answer = await page.ask({ ask: "final" }, { key: "reason" });
    put(panel, answer.errors ? findings(answer.errors) : h("pre", {}, answer.text));
  }

  return { refresh };
}
