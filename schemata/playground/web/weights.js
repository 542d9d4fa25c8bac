// Scores of links, in a table to edit: the sum over derivations, the best trees, the probability of each link.
import { findings, h, put, scroll } from "./dom.js";
import { picture } from "./pictures.js";
import { Stopped } from "./client.js";

export function make(panel, page) {
  let words = [];
  let scores = [];
  let timer = null;
  const table = h("div", {});
  const out = h("div", { "aria-live": "polite" });
  put(panel, table, out);

  const size = () => words.length + 1;
  const zeros = () => Array.from({ length: size() }, () => Array(size()).fill(0));
  const name = (k) => (k ? `${words[k - 1]} ${k}` : "root 0");

  function set(make) {
    scores = zeros().map((row, head) => row.map((_, dependent) => (dependent && dependent !== head ? make(head, dependent) : 0)));
    draw();
    go();
  }

  function draw() {
    const cell = (head, dependent) => {
      if (!dependent || head === dependent) return h("td", { class: "none" }, "");
      const input = h("input", {
        type: "number", step: "0.1", value: scores[head][dependent], "aria-label": `score of ${name(dependent)} under ${name(head)}`,
        on: { input: () => {
          const value = Number(input.value);
          scores[head][dependent] = Number.isFinite(value) ? Math.max(-1e6, Math.min(1e6, value)) : 0;
          clearTimeout(timer);
          timer = setTimeout(go, 150);
        } },
      });
      return h("td", {}, input);
    };
    const all = Array.from({ length: size() }, (_, k) => k);
    put(table,
      h("div", { class: "row" },
        h("button", { type: "button", on: { click: () => set(() => 0) } }, "All 0"),
        h("button", { type: "button", on: { click: () => set(() => Math.round(Math.random() * 40 - 20) / 10) } }, "Random"),
        h("button", { type: "button", on: { click: () => set((head, dependent) => -Math.abs(head - dependent)) } }, "Short links")),
      h("p", { class: "note" }, "Scores are logarithms of weights: rows are heads, columns their dependents."),
      scroll("scores of links", h("table", { class: "scores" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "head"), all.slice(1).map((k) => h("th", { scope: "col" }, name(k))))),
        h("tbody", {}, all.map((head) => h("tr", {}, h("th", { scope: "row" }, name(head)), all.slice(1).map((dependent) => cell(head, dependent))))))));
  }

  async function go() {
    try {
      const answer = await page.ask({ ask: "weights", scores }, { key: "weights" });
      if (answer.errors) put(out, findings(answer.errors));
      else show(answer);
    } catch (problem) {
      if (!(problem instanceof Stopped)) put(out, h("p", {}, problem.message));
    }
  }

  function show(answer) {
    if (answer.total === null) {
      put(out, h("p", {}, "The sentence is not accepted: there is nothing to weigh."));
      return;
    }
    const share = new Map((answer.marginals ?? []).map(([[dependent, head], p]) => [`${dependent} ${head}`, p]));
    const all = Array.from({ length: size() }, (_, k) => k);
    const cell = (head, dependent) => {
      const p = share.get(`${dependent} ${head}`);
      return h("td", { class: p === undefined ? "none" : `heat heat-${Math.round(p * 10)}` }, p === undefined ? "" : p.toFixed(3));
    };
    put(out,
      h("p", { class: "badges" }, h("span", { class: "badge" }, `sum over derivations: e^${answer.total.toFixed(4)}`), h("span", { class: "badge" }, `best: ${answer.weight.toFixed(4)}`)),
      h("h3", {}, "Best trees"),
      answer.ranked ? h("ol", { class: "structures" }, answer.best.map((one, k) => h("li", {}, h("p", { class: "note" }, `weight ${one.weight.toFixed(4)}`), scroll(`tree ${k + 1}`, picture(one.svg)))))
        : [h("p", { class: "note" }, "There are too many trees to rank; this is the best derivation."), scroll("the best derivation", picture(answer.derivation))],
      h("h3", {}, "Probability of each link"),
      answer.marginals === null ? h("p", {}, "Items help to derive themselves: probabilities are not computed here.")
        : scroll("probabilities of links", h("table", { class: "scores" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "head"), all.slice(1).map((k) => h("th", { scope: "col" }, name(k))))),
          h("tbody", {}, all.map((head) => h("tr", {}, h("th", { scope: "row" }, name(head)), all.slice(1).map((dependent) => cell(head, dependent))))))));
  }

  function refresh() {
    const now = page.state.sentence.split(/\s+/).filter(Boolean);
    if (now.length > 12) {
      put(table, h("p", {}, "The table is for sentences of at most 12 words."));
      put(out);
      return;
    }
    if (now.join(" ") !== words.join(" ") || !scores.length) {
      words = now;
      scores = zeros();
      draw();
    }
    go();
  }

  return { refresh };
}
