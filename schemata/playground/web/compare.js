// Schemata compared: items, steps and derivations for sentences of growing length, as a plot and a table.
import { choice, field, findings, h, number, put, scroll } from "./dom.js";
import { plot } from "./plot.js";
import { progressBar } from "./verify.js";
import { Stopped } from "./client.js";

export function make(panel, page) {
  let others = [];
  const chosen = h("div", { class: "row" });
  const most = h("input", { type: "number", min: "2", max: "60", value: "10" });
  const progress = progressBar();
  const out = h("div", {});
  const form = h("form", {}, chosen, h("div", { class: "row" }, field("words, at most", most), h("button", { type: "submit", class: "primary" }, "Compare")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go();
  });
  put(panel, form, progress.element, out);

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

  async function go() {
    put(out);
    try {
      const answer = await page.askLong({ ask: "compare", others, max_n: Number(most.value) }, { onProgress: progress.show });
      show(answer);
    } catch (problem) {
      put(out, h("p", {}, problem instanceof Stopped ? "Stopped." : problem.message));
    } finally {
      progress.hide();
    }
  }

  function show(answer) {
    if (answer.errors) {
      put(out, findings(answer.errors));
      return;
    }
    const series = (quantity) => answer.growth.filter((one) => one.quantity === quantity)
      .map((one) => ({ label: one.label, points: one.points, note: one.exponent === null ? "" : `about n^${one.exponent.toFixed(2)}` }));
    put(out,
      answer.stopped && h("p", { class: "note" }, "The limit of seconds ended this before the last lengths."),
      h("div", { class: "plots" }, ["items", "steps"].map((one) => {
        const drawn = plot(one, series(one));
        return drawn && scroll(`${one} over the number of words`, drawn);
      })),
      scroll("the figures", h("table", { class: "figures" },
        h("thead", {}, h("tr", {}, ["words", "schema", "items", "useful", "steps", "derivations", "seconds"].map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, answer.rows.map((row) => h("tr", {},
          h("td", {}, number(row.n)), h("td", {}, row.label), h("td", {}, number(row.items)), h("td", {}, number(row.useful_items)),
          h("td", {}, number(row.steps)), h("td", {}, row.stopped ? `hit ${row.stopped}` : number(row.derivations)), h("td", {}, row.seconds.toFixed(4))))))));
  }

  return { refresh: fill };
}
