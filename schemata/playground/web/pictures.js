// Pictures that the library writes as SVG, put into the page element by element: only those below, with only these
// attributes. A picture that is no well-formed SVG is none.

const SPACE = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "path", "line", "rect", "circle", "ellipse", "polyline", "polygon", "text", "tspan", "title"]);
const ATTRIBUTES = new Set([
  "class", "viewBox", "width", "height", "role", "font-family", "font-size", "font-weight", "font-style", "x", "y", "x1", "y1", "x2", "y2",
  "cx", "cy", "r", "rx", "ry", "d", "points", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "opacity", "text-anchor", "textLength", "lengthAdjust", "direction", "transform", "dominant-baseline", "data-item", "data-cell",
  "data-ends", "data-step",
]);
const OUTSIDE = /url\s*\(|script/i;

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || node.namespaceURI !== SPACE || !ELEMENTS.has(node.localName)) return null;
  const element = document.createElementNS(SPACE, node.localName);
  for (const { name, value } of node.attributes) {
    if (ATTRIBUTES.has(name) && !OUTSIDE.test(value)) element.setAttribute(name, value);
  }
  for (const child of node.childNodes) {
    const own = copied(child);
    if (own) element.append(own);
  }
  return element;
}

// The element of a picture, or null. Its title becomes its label.
export function picture(text) {
  if (typeof text !== "string") return null;
  const read = new DOMParser().parseFromString(text, "image/svg+xml");
  if (read.querySelector("parsererror")) return null;
  const drawn = copied(read.documentElement);
  if (!drawn || drawn.localName !== "svg") return null;
  const title = [...drawn.children].find((child) => child.localName === "title");
  drawn.setAttribute("aria-label", title ? title.textContent : "a picture");
  return drawn;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "aria-label" && !ATTRIBUTES.has(name)) throw new Error(`attribute ${name} is not one that pictures here have`);
    element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}
