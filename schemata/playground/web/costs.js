// What the schema costs, from its rules: degrees at once, formulas on demand.
import { findings, h, number, put, scroll } from "./dom.js";
import { Stopped } from "./client.js";

export function make(panel, page) {
  const out = h("div", {});
  const counted = h("button", { type: "button", on: { click: () => go(true) } }, "Find formulas for the counts");
  put(panel, h("div", { class: "row" }, counted), out);

  async function go(formulas) {
    try {
      const ask = formulas ? page.askLong : page.ask;
      const answer = await ask({ ask: "cost", formulas }, { key: "cost" });
      if (answer.errors) put(out, findings(answer.errors));
      else show(answer);
    } catch (problem) {
      if (!(problem instanceof Stopped)) put(out, h("p", {}, problem.message));
    }
  }

  function show({ cost, text }) {
    const big = (part) => part && part.cost ? `O(${part.cost})` : part && part.degree !== null && part.degree !== undefined ? `O(n^${part.degree})` : "unknown";
    const table = (label, parts, heads) => {
      const all = Object.entries(parts ?? {});
      const keys = ["cost", "formula"].filter((key) => key === "cost" || all.some(([, one]) => one.formula));
      return scroll(label, h("table", { class: "figures left" },
        h("thead", {}, h("tr", {}, heads.slice(0, 1 + keys.length).map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, all.map(([name, one]) => h("tr", {}, h("th", { scope: "row" }, name), keys.map((key) => h("td", {}, number(one[key]))))))));
    };
    put(out,
      h("p", { class: "badges" }, h("span", { class: "badge" }, `time ${big(cost.time)}`), h("span", { class: "badge" }, `space ${big(cost.space)}`),
        cost.exponential && h("span", { class: "badge no" }, "exponential")),
      table("the cost of each step", cost.steps_by_name, ["step", "time", "instances"]),
      table("the cost of each item form", cost.items_by_form, ["item form", "space", "items"]),
      h("details", { open: true }, h("summary", {}, "In words"), h("pre", {}, text)));
  }

  return { refresh: () => go(false) };
}
