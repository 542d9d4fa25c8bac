// Lines in a plot with logarithmic scales: counts over the number of words.
import { svg } from "./pictures.js";

const WIDTH = 460;
const HEIGHT = 260;
const LEFT = 62;
const BOTTOM = 34;
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 4", "4 4", "1 4", "14 3 3 3", "6 2"];

// series: [{ label, points: [[n, value], ...] }]
export function plot(title, series) {
  const points = series.flatMap((one) => one.points).filter(([, value]) => value > 0);
  if (points.length < 2) return null;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  const across = (x) => LEFT + (Math.log(x / x0) / (Math.log(x1 / x0) || 1)) * (WIDTH - LEFT - 12);
  const up = (y) => HEIGHT - BOTTOM - (Math.log(y / y0) / (Math.log(y1 / y0) || 1)) * (HEIGHT - BOTTOM - 30);
  const parts = [svg("text", { class: "plot-title", x: LEFT, y: 16 }, title)];
  const powers = Array.from({ length: 20 }, (_, power) => 10 ** power).filter((one) => one <= y1);
  const between = powers.flatMap((one) => [one, 2 * one, 5 * one]);  // of a small range
  for (const value of y1 / y0 > 300 ? powers : between) {
    if (value < y0 || value > y1) continue;
    parts.push(svg("line", { class: "plot-grid", x1: LEFT, x2: WIDTH - 12, y1: up(value), y2: up(value) }));
    parts.push(svg("text", { class: "plot-tick", x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, value.toLocaleString("en")));
  }
  let taken = -Infinity;
  for (let x = x0; x <= x1; x += 1) {
    if (across(x) - taken < 22) continue;
    taken = across(x);
    parts.push(svg("text", { class: "plot-tick", x: across(x), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, String(x)));
  }
  parts.push(svg("text", { class: "plot-tick", x: (LEFT + WIDTH) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, "words"));
  series.forEach((one, number) => {
    const own = one.points.filter(([, value]) => value > 0);
    if (own.length) {
      const path = own.map(([x, y], k) => `${k ? "L" : "M"}${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join("");
      parts.push(svg("path", { class: `plot-line colour-${number % 6}`, d: path, fill: "none", "stroke-dasharray": DASHES[number % DASHES.length] }));
      for (const [x, y] of own) parts.push(svg("circle", { class: `plot-point colour-${number % 6}`, cx: across(x), cy: up(y), r: 2.6 }));
    }
  });
  series.forEach((one, number) => {
    const y = HEIGHT + 14 + number * 18;
    parts.push(svg("line", { class: `plot-line colour-${number % 6}`, x1: LEFT, x2: LEFT + 34, y1: y - 4, y2: y - 4, "stroke-dasharray": DASHES[number % DASHES.length] }));
    parts.push(svg("text", { class: "plot-key", x: LEFT + 42, y }, one.note ? `${one.label}  ${one.note}` : one.label));
  });
  const height = HEIGHT + 10 + series.length * 18;
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: "img", "aria-label": `${title} over the number of words` }, ...parts);
}
