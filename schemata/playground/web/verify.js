// Verification: is the schema sound, complete, and does it derive each structure once? Counterexamples are drawn.
import { choice, field, h, put, scroll } from "./dom.js";
import { makeInquiry } from "./inquiry.js";
import { picture } from "./pictures.js";
import { slider } from "./slider.js";

const CLASSES = ["all", "projective", "planar", "2-planar", "well-nested", "wg-1", "gap-degree-1", "mg-1", "1ec", "non-empty", "binary", "linkages", "acyclic-linkages"];
const SAID = { sound: "sound", complete: "complete", each_once: "each once" };

// What a verdict says to one of its questions, as a badge: yes, no, or unknown where it was cut short.
export function badge(name, value, more = "") {
  const kind = value === true ? "yes" : value === false ? "no" : "unknown";
  const sign = { yes: "✓", no: "✗", unknown: "?" }[kind];
  return h("span", { class: `badge ${kind}` }, `${sign} ${name}: ${kind}${more}`);
}

// Counterexamples, each drawn with its derivations.
export function counterexamples(list, page) {
  return list.map((one) => h("section", { class: "card" },
    h("h3", {}, one.said),
    one.fault && h("p", {}, one.fault),
    one.case.length > 0 && h("pre", {}, one.case.join("\n")),
    one.svg && scroll(one.said, picture(one.svg)),
    one.sentence && h("div", { class: "row" },
      h("button", { type: "button", class: "chip", on: { click: () => page.setSentence(one.sentence, `heads:${one.heads.join(",")}`) } }, "run it under its own links"),
      !one.is_wrong && h("button", { type: "button", class: "chip", on: { click: () => page.addExample(one.sentence, one.heads.join(",")) } }, "keep it as an example")),
    one.derivations.map((view, k) => h("details", { open: k === 0 }, h("summary", {}, `Derivation ${k + 1}`), slider(view, { title: `${one.said}, derivation ${k + 1}` }))),
    one.steps.length > 0 && h("details", { open: true }, h("summary", {}, "Derived by"), h("ol", { class: "steps" }, one.steps.map((line) => h("li", {}, line))))));
}

export function make(panel, page) {
  const classes = h("div", {});
  const most = h("input", { type: "number", min: "1", max: "12", value: "4" });
  const others = h("div", {});
  const inquiry = makeInquiry(page);
  const form = h("form", { class: "row", on: { submit: (event) => {
    event.preventDefault();
    go();
  } } }, classes, others, field("words, at most", most), h("button", { type: "submit", class: "primary" }, "Verify"));
  const certificate = h("input", { type: "file" });
  const proved = h("form", { class: "row", on: { submit: (event) => {
    event.preventDefault();
    recheck();
  } } }, field("another certificate than the shipped one", certificate), h("button", { type: "submit" }, "Check the certificate again"));
  put(panel, form, h("details", {}, h("summary", {}, "For every number of words"),
    h("p", { class: "note" }, "A certificate proves that the schema is sound, complete, or derives each tree once, for every number of words. It is checked here, with a solver (7 MB, fetched when it is wanted)."), proved), ...inquiry.elements);

  function fill() {
    put(classes, field("class", choice([["", "find out which"], ...CLASSES.map((one) => [one])], classes.querySelector("select")?.value ?? "")));
    put(others, field("or the same as", choice([["", "–"], ...page.names().map((one) => [one])], others.querySelector("select")?.value ?? "")));
  }

  function go() {
    const asked = page.key();
    const other = others.querySelector("select").value;
    const question = { ask: "verify", class_name: other ? "" : classes.querySelector("select").value, other, max_n: Number(most.value) };
    inquiry.ask(question, (answer) => shown(answer, asked !== page.key()));
  }

  async function recheck() {
    const [file] = certificate.files;
    const text = file ? await file.text() : "";
    inquiry.ask({ ask: "recheck", text }, (answer) => [
      h("p", { class: "badges" }, h("span", { class: `badge ${answer.accepted ? "yes" : "no"}` }, answer.accepted ? "✓ the certificate proves it" : "✗ the certificate does not prove it"),
        answer.accepted && answer.claims.map((one) => badge(SAID[one], true, ` for every n, of ${answer.class} trees`))),
      answer.refused && h("p", {}, answer.refused),
    ], { about: "checking", needs: "solver" });
  }

  function shown(answer, isOld) {
    const every = answer.for_every_n;
    return [
      isOld && h("p", { class: "note" }, "The schema has changed since."),
      h("p", { class: "badges" },
        answer.parses ? h("span", { class: "badge" }, answer.parses.length ? `parses ${answer.parses.join(", ")}` : "parses no known class") : ["complete", "sound"].map((one) => one in answer && badge(SAID[one], answer[one], answer[one] ? ` to ${answer.max_n} words` : "")),
        "each_once" in answer && badge("each once", answer.each_once, answer.each_once ? ` to ${answer.max_n} words` : "")),
      every && h("p", { class: "badges" }, "For every number of words: ", ["complete", "sound", "each_once"].map((one) => one in every && badge(SAID[one], every[one]))),
      counterexamples(answer.counterexamples, page),
      h("details", { open: !answer.counterexamples.length }, h("summary", {}, "In full"), h("pre", {}, answer.text)),
    ];
  }

  return { refresh: fill };
}
