// The derivations of a run, one after the other, each with a slider.
import { findings, h, number, put } from "./dom.js";
import { slider } from "./slider.js";

export function make(panel, page) {
  let at = 0;
  const head = h("div", { class: "row middle" });
  const body = h("div", {});
  put(panel, head, body);

  async function refresh(keep = false) {
    if (keep !== true) at = 0;
    const answer = await page.ask({ ask: "derivation", number: at }, { key: "derivation" });
    if (answer.errors) {
      put(head);
      put(body, findings(answer.errors));
      return;
    }
    if (!answer.derivation) {
      put(head);
      put(body, h("p", {}, "The sentence is not accepted: there is no derivation."));
      return;
    }
    const step = (by, text, possible) => h("button", { type: "button", disabled: !possible, on: { click: () => {
      at += by;
      refresh(true);
    } } }, text);
    const count = answer.count;
    put(head,
      step(-1, "Earlier", at > 0),
      h("span", {}, `Derivation ${number(at + 1)} of ${count === null ? "endlessly many" : number(count)}`),
      step(1, "Next", (count === null || at + 1 < count) && at < 999));
    put(body, slider(answer.derivation));
  }

  return { refresh };
}
