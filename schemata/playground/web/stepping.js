// A run taken item by item: the user picks what is taken next.
import { findings, h, number, put, scroll } from "./dom.js";
import { picture } from "./pictures.js";

export function make(panel, page) {
  let past = [];
  const said = h("p", { class: "said", "aria-live": "polite" });
  const body = h("div", {});
  put(panel, h("p", { class: "note" }, "The agenda holds what can be derived from what is taken. Pick an item; it joins the chart, and brings what follows from it."), said, body);

  async function go(next) {
    past = next;
    const answer = await page.ask({ ask: "step", past }, { key: "step" });
    if (answer.errors) {
      put(said);
      put(body, findings(answer.errors), past.length > 0 && h("button", { type: "button", on: { click: () => go([]) } }, "Begin again"));
      return;
    }
    put(said, answer.last ? `${number(past.length)} taken, the last one ${answer.last}${answer.final ? ": a final item" : ""}` : "Nothing is taken yet.");
    const tree = answer.arcs && picture(answer.arcs);
    const chart = answer.chart && picture(answer.chart);
    put(body,
      h("div", { class: "row" },
        h("button", { type: "button", disabled: !past.length, on: { click: () => go(past.slice(0, -1)) } }, "Back"),
        h("button", { type: "button", disabled: !past.length, on: { click: () => go([]) } }, "Begin again"),
        h("button", { type: "button", disabled: !answer.offers.length, on: { click: () => go([...past, answer.offers[0].item]) } }, "Take the first")),
      tree && scroll("what the item has built", tree),
      chart && scroll("the chart so far", chart),
      h("h3", {}, answer.offers.length ? "May be taken next" : "Nothing is left to take"),
      h("ul", { class: "offers" }, answer.offers.map((one) => h("li", {},
        h("button", { type: "button", class: "chip", on: { click: () => go([...past, one.item]) } }, `${one.item}${one.final ? " (final)" : ""}`),
        h("span", { class: "note" }, ` by ${one.step}${one.links.length ? `, builds ${one.links.map((link) => link.length === 2 ? `${link[0]} under ${link[1]}` : link.join(" ")).join(", ")}` : ""}`)))),
      answer.more > 0 && h("p", {}, `and ${number(answer.more)} more`));
  }

  return { refresh: () => go([]) };
}
