// A derivation with a slider, from the hypotheses to the final item: its links, its tree, its steps.
import { h, put, scroll } from "./dom.js";
import { picture } from "./pictures.js";

// view: as the library's DerivationView; onStep(step, made) is told the current step and the numbers of all items made.
export function slider(view, { title = "the derivation", onStep = null } = {}) {
  const steps = view.steps;
  const arcs = picture(view.arcs);
  const tree = picture(view.tree);
  const range = h("input", { type: "range", min: "0", max: steps.length, value: steps.length, step: "1", "aria-label": `steps of ${title}` });
  const said = h("p", { class: "said", "aria-live": "polite" });
  const rows = steps.map((step, k) => h("li", {}, h("button", { type: "button", class: "plain", on: { click: () => move(k + 1) } }, step.text)));

  function move(count) {
    range.value = String(count);
    show();
  }

  function show() {
    const count = Number(range.value);
    const current = count ? steps[count - 1] : null;
    const links = new Set(steps.slice(0, count).flatMap((step) => step.ends));
    rows.forEach((row, k) => {
      row.classList.toggle("later", k >= count);
      row.classList.toggle("now", k === count - 1);
    });
    for (const node of tree?.querySelectorAll("[data-step]") ?? []) {
      node.classList.toggle("later", Number(node.dataset.step) > count);
      node.classList.toggle("now", Number(node.dataset.step) === count);
    }
    const now = tree?.querySelector(".now") ?? null;
    const box = tree?.closest(".scroll");
    if (now && box) {  // what is new is seen where the tree is wider than its box
      const [own, seen] = [now.getBoundingClientRect(), box.getBoundingClientRect()];
      if (own.left < seen.left || own.right > seen.right) box.scrollLeft += (own.left + own.right - seen.left - seen.right) / 2;
    }
    for (const node of arcs?.querySelectorAll("g.link") ?? []) node.classList.toggle("later", !links.has(node.dataset.ends));
    const rooted = [...links].some((one) => one.startsWith("0 "));
    for (const node of arcs?.querySelectorAll("g.root") ?? []) node.classList.toggle("later", !rooted);
    const text = current ? current.text : "the hypotheses";
    put(said, `${count} of ${steps.length}: ${text}`);
    range.setAttribute("aria-valuetext", said.textContent);
    onStep?.(current, new Set(steps.slice(0, count).map((step) => step.made)));
  }

  range.addEventListener("input", show);
  const button = (by, text, label) => h("button", {
    type: "button", "aria-label": label, on: { click: () => move(Math.min(steps.length, Math.max(0, Number(range.value) + by))) },
  }, text);
  const element = h("div", { class: "derivation" },
    h("div", { class: "controls" }, button(-1, "←", "one step back"), range, button(1, "→", "one step forward")),
    said,
    arcs && scroll(`the links so far, ${title}`, arcs),
    tree && scroll(`${title} as a tree`, tree),
    h("details", {}, h("summary", {}, "Steps"), h("ol", { class: "steps" }, rows)));
  show();
  return element;
}
