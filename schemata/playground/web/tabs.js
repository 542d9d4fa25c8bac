// Tabs as ARIA has them: arrows go from one to the next, Home and End to the first and the last.
import { h } from "./dom.js";

// entries: [name, title]; returns the element and what shows a tab. onShow(name) is called when one is shown.
export function makeTabs(entries, onShow) {
  const buttons = new Map();
  const panels = new Map();
  let shown = null;

  function show(name, focus = false) {
    if (!buttons.has(name)) return;
    shown = name;
    for (const [other, button] of buttons) {
      button.setAttribute("aria-selected", String(other === name));
      button.setAttribute("tabindex", other === name ? "0" : "-1");
      panels.get(other).hidden = other !== name;
    }
    if (focus) buttons.get(name).focus();
    buttons.get(name).scrollIntoView?.({ block: "nearest", inline: "nearest" });
    onShow(name);
  }

  function moved(event) {
    const names = [...buttons.keys()];
    const at = names.indexOf(shown);
    const to = { ArrowRight: (at + 1) % names.length, ArrowLeft: (at + names.length - 1) % names.length, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(names[to], true);
  }

  for (const [name, title] of entries) {
    buttons.set(name, h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, on: { click: () => show(name) },
    }, title));
    panels.set(name, h("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "panel" }));
  }
  return {
    list: h("div", { role: "tablist", "aria-label": "answers", class: "tabs", on: { keydown: moved } }, [...buttons.values()]),
    panels: [...panels.values()],
    panel: (name) => panels.get(name),
    show,
    get shown() {
      return shown;
    },
  };
}
