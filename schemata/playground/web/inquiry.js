// A question that takes long: how far its work is, its answer where it is shown, what went wrong, or that it was stopped.
import { findings, h, number, put } from "./dom.js";
import { Stopped } from "./client.js";

// elements: what a panel holds; ask(question, show) puts what show(answer) returns below the bar, where it is still wanted.
export function makeInquiry(page) {
  const bar = h("progress", { max: "1", value: "0", "aria-label": "how far the work is" });
  const said = h("span", { class: "note" });
  const progress = h("div", { class: "row progress", hidden: true }, bar, said);
  const out = h("div", { "aria-live": "polite" });
  let last = 0;

  function onProgress({ done, total, about }) {
    progress.hidden = false;
    bar.max = Math.max(1, total);
    bar.value = Math.min(done, total);
    put(said, `${about}: ${number(done)} of ${number(total)}`);
  }

  return {
    elements: [progress, out],
    // Takes away what is shown; an answer that is still to come is not shown.
    clear() {
      last += 1;
      progress.hidden = true;
      put(out);
    },
    async ask(question, show, { about = "starting", needs = null } = {}) {
      this.clear();
      const own = last;
      const shown = (...children) => own === last && put(out, ...children);
      onProgress({ done: 0, total: 1, about });
      try {
        const answer = await page.askLong(question, { onProgress: (far) => own === last && onProgress(far), needs });
        if (answer.errors) shown(findings(answer.errors));
        else shown(...show(answer));
      } catch (problem) {
        shown(h("p", {}, problem instanceof Stopped ? "Stopped." : problem.message));
      } finally {
        if (own === last) progress.hidden = true;
      }
    },
  };
}
