// The chart: its picture, in which an item answers with its proof and an empty cell with why nothing stands there.
import { choice, field, findings, h, number, put, scroll } from "./dom.js";
import { picture } from "./pictures.js";
import { Stopped } from "./client.js";

const NAMES = { triangle: "triangle: cells by span", columns: "columns by last word", edges: "edges over the words" };

export function make(panel, page) {
  const reason = h("div", { class: "reason", "aria-live": "polite" });
  const drawn = h("div", {});
  const itemOf = new WeakMap();
  const views = h("div", { class: "row" });
  let view = null;
  let shownFor = null;
  put(panel, views, drawn, reason);

  async function show(question, about) {
    const key = shownFor;
    try {
      const answer = await page.ask(question, { key: "reason" });
      if (key === shownFor) tell(answer, about);
    } catch (problem) {
      if (!(problem instanceof Stopped)) put(reason, h("p", {}, problem.message));
    }
  }

  function tell(answer, about) {
    if (answer.errors) {
      put(reason, findings(answer.errors));
      return;
    }
    const others = (answer.items ?? []).slice(1, 12).map((text) => h("button", {
      type: "button", class: "chip", on: { click: () => show({ ask: "item", item: text }, text) },
    }, text));
    put(reason,
      h("h3", {}, answer.derivable ? `Why ${answer.item}` : answer.item ? `Why not ${answer.item}` : about),
      h("pre", {}, answer.text),
      others.length > 0 && h("p", { class: "row" }, "or: ", others));
    const above = answer.derivable && answer.proof ? new Set(answer.proof.filter((one) => one.depth === 1).map((one) => one.item)) : new Set();
    for (const node of drawn.querySelectorAll("g.item")) {
      const text = itemOf.get(node);
      node.classList.toggle("chosen", text === answer.item);
      node.classList.toggle("from", above.has(text));
    }
  }

  function live(image) {
    image.setAttribute("role", "group");
    const items = [...image.querySelectorAll("g.item")];
    items.forEach((node, place) => {
      const text = node.querySelector("title")?.textContent ?? "";
      itemOf.set(node, text);
      const seen = node.querySelector("text")?.textContent ?? "";
      button(node, seen && !text.includes(seen) ? `${seen}: ${text}` : text, () => show({ ask: "item", item: text }, text), place === 0);
      node.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const next = step && items[place + step];
        if (next) {
          event.preventDefault();
          node.setAttribute("tabindex", "-1");
          next.setAttribute("tabindex", "0");
          next.focus();
        }
      });
    });
    const centres = items.map((node) => {  // asked once: a layout for each cell and item takes a second
      const own = node.getBBox?.();
      return own ? [own.x + own.width / 2, own.y + own.height / 2] : [NaN, NaN];
    });
    for (const cell of image.querySelectorAll("rect[data-cell]")) {
      const box = cell.getBBox?.();
      const inside = box && centres.some(([x, y]) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height);
      const [first, last] = cell.dataset.cell.split(" ").map(Number);
      if (!inside) cell.classList.add("empty");
      button(cell, inside ? `what else could stand from ${first} to ${last}` : `nothing stands from ${first} to ${last}: why`,
        () => show({ ask: "cell", first, last }, `Nothing stands from ${first} to ${last}`), !inside);
    }
  }

  function button(node, label, act, reached) {
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", reached ? "0" : "-1");
    node.setAttribute("aria-label", label);
    node.addEventListener("click", act);
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        act();
      }
    });
  }

  async function refresh() {
    const answer = await page.run({ ask: "picture", view });
    shownFor = answer;
    put(reason);
    if (!answer || answer.errors) {
      put(views);
      put(drawn, answer ? findings(answer.errors) : null);
      return;
    }
    const { svg, said, views: known, view: own } = answer.chart;
    put(views, known.length > 1 && field("drawn as", choice(known.map((one) => [one, NAMES[one] ?? one]), own, {
      change: (event) => {
        view = event.target.value;
        refresh();
      },
    })));
    const image = picture(svg);
    put(drawn,
      image ? scroll("the chart", image) : h("p", {}, said ?? "there is no picture of this chart"),
      image && h("p", { class: "note" }, "Choose an item for its proof, an empty cell for why nothing stands there."),
      table(answer));
    if (image) live(image);
  }

  function table(answer) {
    const rows = answer.listed.map((one) => h("tr", {},
      h("td", {}, h("button", { type: "button", class: "plain", on: { click: () => show({ ask: "item", item: one.item }, one.item) } }, one.item)),
      h("td", {}, [one.given && "given", one.final && "final"].filter(Boolean).join(", "))));
    const more = answer.items + answer.hypotheses - answer.listed.length;
    const ask = h("input", { type: "text", placeholder: "an item", spellcheck: "false" });
    const form = h("form", { class: "row", on: { submit: (event) => {
      event.preventDefault();
      if (ask.value.trim()) show({ ask: "item", item: ask.value.trim() }, ask.value);
    } } }, field("why, or why not", ask), h("button", { type: "submit" }, "Ask"));
    return h("div", {}, form, h("details", {},
      h("summary", {}, `All ${number(answer.items)} items and ${number(answer.hypotheses)} hypotheses`),
      h("table", { class: "items" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "item"), h("th", { scope: "col" }, "is"))), h("tbody", {}, rows)),
      more > 0 && h("p", {}, `and ${number(more)} more`)));
  }

  return { refresh };
}
