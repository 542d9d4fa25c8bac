// Elements made from data. Text becomes text: nothing here reads markup, and no attribute can hold a script.

const PLAIN = /^(aria-[a-z]+|data-[a-z-]+|class|for|id|role|type|value|name|min|max|step|rows|title|placeholder|tabindex|hidden|disabled|checked|selected|readonly|scope|colspan|label|spellcheck|autocomplete|autocapitalize|list|open|inputmode|width|height|viewBox|multiple)$/;

// An element: h("button", { type: "button", on: { click } }, "text", child, ...). False and null children are left out.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  return filled(element, properties, children);
}

export function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else if (value === null || value === undefined || value === false) {
      continue;
    } else if (PLAIN.test(name)) {
      element.setAttribute(name, value === true ? "" : String(value));
    } else {
      throw new Error(`attribute ${name} is not one that pages here have`);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// What an element holds, in place of what it held. The keyboard goes on where it was: at the control that had the focus, else
// at one with its text, else at one of its class.
export function put(element, ...children) {
  const held = element.contains(document.activeElement) && document.activeElement;
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  if (held && held !== element) {
    const buttons = [...element.querySelectorAll("button:enabled")];
    const next = held.isConnected ? held : buttons.find((one) => one.textContent === held.textContent) ?? buttons.find((one) => one.className === held.className);
    next?.focus({ preventScroll: true });
  }
  return element;
}

export function number(value) {
  if (value === null || value === undefined) return "?";
  return typeof value === "number" ? value.toLocaleString("en") : String(value);
}

// A region that scrolls sideways, which the keyboard reaches.
export function scroll(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

// The findings of an answer, as paragraphs; one with a hint has it below.
export function findings(list) {
  return h("div", { class: "findings" }, list.map((one) => h("div", { class: `finding ${one.severity === "warning" ? "warning" : "error"}` },
    h("p", {}, h("strong", {}, one.severity === "warning" ? "warning: " : "error: "), place(one), one.message),
    one.expected && h("p", {}, `expected: ${one.expected}`),
    one.hint && h("p", {}, `hint: ${one.hint}`))));
}

function place(one) {
  return one.line ? `${one.file ?? ""}:${one.line}:${one.column}: ` : "";
}

let last = 0;
export function fresh(name) {
  last += 1;
  return `${name}-${last}`;
}

export function field(text, control) {
  const id = control.id || fresh("field");
  control.id = id;
  return h("div", { class: "field" }, h("label", { for: id }, text), control);
}

export function choice(options, chosen, on = {}) {
  return h("select", { on }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text ?? value)));
}
