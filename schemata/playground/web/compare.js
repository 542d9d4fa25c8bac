// Schemata compared: items, steps and derivations for sentences of growing length, as a plot and a table.
import { choice, field, h, number, put, scroll } from "./dom.js";
import { makeInquiry } from "./inquiry.js";
import { plot } from "./plot.js";

export function make(panel, page) {
  let others = [];
  const chosen = h("div", { class: "row" });
  const most = h("input", { type: "number", min: "2", max: "60", value: "10" });
  const inquiry = makeInquiry(page);
  const form = h("form", {}, chosen, h("div", { class: "row" }, field("words, at most", most), h("button", { type: "submit", class: "primary" }, "Compare")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go();
  });
  put(panel, form, ...inquiry.elements);

  function fill() {
    const known = page.names();
    others = others.filter((one) => known.includes(one));
    const add = choice([["", "choose one to add"], ...known.filter((one) => !others.includes(one)).map((one) => [one])], "", {
      change: (event) => {
        if (event.target.value) others.push(event.target.value);
        fill();
      },
    });
    put(chosen, h("span", {}, `${page.info?.name ?? "this schema"} with`), others.map((one) => h("button", {
      type: "button", class: "chip", "aria-label": `${one} ×: leave it out`, on: { click: () => {
        others = others.filter((other) => other !== one);
        fill();
      } },
    }, `${one} ×`)), field("another schema", add));
  }

  function go() {
    inquiry.ask({ ask: "compare", others, max_n: Number(most.value) }, shown);
  }

  function shown(answer) {
    const series = (quantity) => answer.growth.filter((one) => one.quantity === quantity)
      .map((one) => ({ label: one.label, points: one.points, note: one.exponent === null ? "" : `about n^${one.exponent.toFixed(2)}` }));
    return [
      answer.stopped && h("p", { class: "note" }, "The limit of seconds ended this before the last lengths."),
      h("div", { class: "plots" }, ["items", "steps"].map((one) => {
        const drawn = plot(one, series(one));
        return drawn && scroll(`${one} over the number of words`, drawn);
      })),
      scroll("the figures", h("table", { class: "figures" },
        h("thead", {}, h("tr", {}, ["words", "schema", "items", "useful", "steps", "derivations", "seconds"].map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, answer.rows.map((row) => h("tr", {},
          h("td", {}, number(row.n)), h("td", {}, row.label), h("td", {}, number(row.items)), h("td", {}, number(row.useful_items)),
          h("td", {}, number(row.steps)), h("td", {}, row.stopped ? `hit ${row.stopped}` : number(row.derivations)), h("td", {}, row.seconds.toFixed(4))))))),
    ];
  }

  return { refresh: fill };
}
