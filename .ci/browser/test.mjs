// Tries the page in Chromium, and in Firefox if there is one; see `run`.  node test.mjs PYTHON ROOM CHROMIUM [FIREFOX]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { createRequire } from "node:module";
import { chromium, firefox } from "playwright-core";

const [python, room, ...browsers] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ENDLESS = "schema endless\n  grammar d-rules\nitem p[k: integer]\nstep First\n  ---\n  p[0]\nstep Next\n  p[k]\n  ---\n  p[k + 1]\nfinal p[-1]\n";
const WAIT = { timeout: Number(process.env.PATIENCE ?? 90) * 1000 };  // of a busy machine
const END = Date.now() + Number(process.env.SECONDS_LEFT ?? 600) * 1000;

// The page is served as `schemata playground` does it.
const serving = spawn(python, ["-c", `
import sys
from pathlib import Path
from schemata.playground.serve import server
with server(Path(sys.argv[1])) as s:
    print(s.server_address[1], flush=True)
    s.serve_forever()
`, path.resolve(room, "page")], { env: { ...process.env, PYTHONPATH: "." }, stdio: ["ignore", "pipe", "inherit"] });
const port = await new Promise((resolve) => serving.stdout.once("data", (text) => resolve(Number(String(text)))));
const address = `http://127.0.0.1:${port}/`;
let browser = null;
const faults = [];

async function open(hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 950 }, reducedMotion: "reduce", ...options });  // colours at rest
  await context.addInitScript(READS);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("request", (request) => request.url().startsWith(address) || request.url().startsWith("data:") || faults.push(`asked elsewhere: ${request.url()}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(address + hash, WAIT);
  await settled(page);
  return page;
}

// Waits until nothing has been at work for a while. (What `waitForFunction` is given must not be a promise: the first one that
// is fulfilled ends the waiting, also with false.)
async function settled(page) {
  await page.evaluate(() => {
    globalThis.schemataIdle = performance.now();
  });
  await page.waitForFunction(() => {
    const { state, shown } = document.body.dataset;
    const now = performance.now();
    if (state !== "failed" && (state !== "ready" || shown !== "yes")) globalThis.schemataIdle = now;
    return now - globalThis.schemataIdle > 150;
  }, null, { ...WAIT, polling: 20 });
}

// Gives a page another state, as a link in it does.
async function load(page, hash) {
  await page.evaluate((given) => {
    location.hash = given;
  }, hash);
  await page.waitForTimeout(100);  // the event comes later
  await settled(page);
}

const tab = async (page, name) => {
  await page.locator(`#tab-${name}`).click();
  await settled(page);
};
const shipped = (page, name) => page.evaluate((wanted) => fetch("catalogue.json").then((r) => r.json())
  .then((c) => c.groups.flatMap((g) => g.schemata).find((s) => s.name === wanted).text), name);
const packed = (state) => `#1.${zlib.deflateRawSync(Buffer.from(typeof state === "string" ? state : JSON.stringify(state))).toString("base64url")}`;
const written = (page, text) => page.evaluate((given) => {
  const view = document.querySelector("#schema .cm-content").cmTile?.view ?? document.querySelector("#schema .cm-content").cmView?.view;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: given } });
}, text);

// What the editor of a page holds, and where on the screen the first place of a word in a line (from 0) is.
const READS = `
const view = () => { const found = document.querySelector("#schema .cm-content"); return (found.cmTile ?? found.cmView).view; };
globalThis.schemataText = () => view().state.doc.toString();
globalThis.schemataPlace = (row, word) => {
  const line = view().state.doc.line(row + 1);
  const box = view().coordsAtPos(line.from + line.text.search(new RegExp("(?<![a-z])" + word + "(?![a-z])")));
  return { x: box.left + 2, y: (box.top + box.bottom) / 2 };
};`;

// Points at a word of the editor until what is said about it shows; again and longer where it does not, as a person does: what
// the mouse met on its way may be shown for a moment, and a page that has just moved shows nothing.
async function pointed(page, row, word, expected) {
  const said = page.locator(".cm-tooltip-hover .hover");
  const end = Date.now() + WAIT.timeout;
  let text = "nothing";
  for (let patience = 2_000; !expected.test(text) && Date.now() < end; patience *= 2) {
    await page.mouse.move(5, 5);
    await said.waitFor({ timeout: patience, state: "detached" }).catch(() => {});
    const spot = await page.evaluate(([line, name]) => globalThis.schemataPlace(line, name), [row, word]);
    await page.mouse.move(spot.x, spot.y, { steps: 4 });
    for (const pause = Date.now() + patience; !expected.test(text) && Date.now() < pause; await page.waitForTimeout(50)) {
      text = (await said.allInnerTexts())[0] ?? "nothing";
    }
  }
  assert.match(text, expected);
}
const violations = [];

const ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// Asks axe-core about a page or a part of it: all its rules, or those named, such as colours that another scheme changes.
async function accessible(page, where, runOnly = ALL, part = "html") {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const found = await page.evaluate(([about, wanted]) => globalThis.axe.run(about, { runOnly: wanted, resultTypes: ["violations"] }), [part, runOnly]);
  violations.push(...found.violations.map((one) => `${where}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`));
}

async function narrow(page, where) {
  const [inner, wide] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.ok(wide <= inner, `${where}: the page is ${wide} wide, the window ${inner}`);
}

const tests = {
  async "the page answers, and so do all tabs"(name) {
    const page = await open();
    await page.getByLabel("limit, s").fill("300");  // of a busy machine
    await page.screenshot({ path: `${room}/chart-${name}.png` });
    assert.match(await page.locator(".status").innerText(), /accepted\s*26 items\s*54 steps\s*105 derivations\s*55 structures/);
    const [most, wide] = await page.evaluate(() => [document.querySelector(".tabs").clientWidth, document.querySelector(".tabs").scrollWidth]);
    assert.ok(wide <= most, `the tabs are ${wide} wide, there is room for ${most}`);
    await page.locator("#panel-chart g.item").first().click();
    await settled(page);
    assert.match(await page.locator("#panel-chart .reason").innerText(), /Why span\[.*smallest proof/s);
    await tab(page, "trees");
    assert.equal(await page.locator("#panel-trees .structures > li").count(), 40);
    await page.screenshot({ path: `${room}/trees.png` });
    await tab(page, "derivation");
    const slider = page.locator("#panel-derivation input[type=range]");
    await slider.fill("0");
    assert.match(await page.locator("#panel-derivation .said").innerText(), /^0 of \d+: the hypotheses/);
    assert.equal(await page.locator("#panel-derivation g.link:not(.later)").count(), 0);
    await slider.fill(await slider.getAttribute("max"));
    assert.equal(await page.locator("#panel-derivation g.link.later").count(), 0);
    await page.screenshot({ path: `${room}/derivation.png` });
    await tab(page, "step");
    for (let k = 0; k < 3; k += 1) {
      await page.locator("#panel-step .offers button").last().click();
      await settled(page);
    }
    assert.match(await page.locator("#panel-step .said").innerText(), /^3 taken, the last one span/);
    await page.screenshot({ path: `${room}/step.png` });
    await tab(page, "verify");
    await page.locator("#panel-verify select").first().selectOption("planar");
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator("#panel-verify .card svg").first().waitFor(WAIT);
    assert.match(await page.locator("#panel-verify .badges").first().innerText(), /complete: no/);
    await page.screenshot({ path: `${room}/verify.png` });
    await tab(page, "compare");
    await page.locator("#panel-compare select").selectOption("collins1996");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.locator("#panel-compare svg.plot").first().waitFor(WAIT);
    assert.equal(await page.locator("#panel-compare tbody tr").count(), 20);
    await page.screenshot({ path: `${room}/compare.png` });
    await tab(page, "cost");
    await page.locator("#panel-cost table").first().waitFor(WAIT);
    assert.match(await page.locator("#panel-cost .badges").innerText(), /time O\(n\^3\)/);
    await tab(page, "weights");
    await page.getByRole("button", { name: "Short links" }).click();
    await page.locator("#panel-weights .structures svg").first().waitFor(WAIT);
    await settled(page);
    assert.match(await page.locator("#panel-weights .badges").innerText(), /best: -4\.0000/);
    await page.screenshot({ path: `${room}/weights.png` });
    await tab(page, "relate");
    await page.locator("#panel-relate select").first().selectOption("eisner-satta1999");
    await page.locator("#panel-relate select").nth(1).selectOption("step-refinement");
    await page.locator("#panel-relate input[type=checkbox]").first().check();
    await page.getByRole("button", { name: "Relate", exact: true }).click();
    await page.locator("#panel-relate .badge").first().waitFor(WAIT);
    assert.match(await page.locator("#panel-relate .badges").innerText(), /step-refinement: yes/);
    await page.screenshot({ path: `${room}/relate.png` });
    if (fs.readdirSync(`${room}/page/vendor`).some((one) => one.endsWith(".whl"))) {  // with the solver, for every n
      await page.locator("#panel-relate input[type=checkbox]").nth(1).check();
      assert.equal(await page.locator("#panel-relate input[type=number]").inputValue(), "5");  // fewer words show too little for a proof
      await page.getByRole("button", { name: "Relate", exact: true }).click();
      await page.getByText("step-refinement: yes for every n").waitFor(WAIT);
      await page.screenshot({ path: `${room}/relate-every-n.png` });
    }
    await tab(page, "verify");
    await page.getByText("For every number of words", { exact: true }).click();
    await page.getByRole("button", { name: "Check the certificate again" }).click();
    await page.getByText("the certificate proves it").waitFor(WAIT);
    assert.match(await page.locator("#panel-verify .badges").first().innerText(), /sound: yes for every n/);
    await page.context().close();
  },

  async "exercises are shown and graded, with the counterexample drawn"() {
    const page = await open();
    await tab(page, "exercises");
    const panel = page.locator("#panel-exercises");
    await page.getByLabel("limit, s").fill("200");  // of a busy machine
    const choose = async (name) => {
      await panel.locator("select").selectOption(name);
      await settled(page);
    };
    assert.equal(await panel.locator("option").count(), 20);
    await choose("02-cyk-next");
    await panel.locator("form.answer input").fill("edge[S, 1, 3]");
    await panel.getByRole("button", { name: "Grade" }).click();
    await panel.locator(".badge.no").waitFor(WAIT);
    assert.match(await panel.innerText(), /it is derived later/);
    await panel.locator("form.answer input").fill("edge[NP, 1, 2]");
    await panel.locator("form.answer input").press("Enter");
    await panel.locator(".badge.yes").waitFor(WAIT);
    await choose("15-mend-collins");
    await panel.getByRole("button", { name: "Put the broken schema" }).click();
    await settled(page);
    await panel.getByRole("button", { name: "Grade the schema" }).click();
    await panel.locator(".card svg").first().waitFor(WAIT);
    assert.match(await panel.locator(".badge").first().innerText(), /wrong/);
    await page.screenshot({ path: `${room}/exercise.png`, fullPage: true });
    const broken = await page.evaluate(() => document.querySelector("#schema .cm-content").cmTile?.view.state.doc.toString());
    await written(page, broken.replace("attach h1 to h2\n  tree[i, k, h1]", "attach h1 to h2\n  tree[i, k, h2]"));
    await settled(page);
    await panel.getByRole("button", { name: "Grade the schema" }).click();
    await panel.locator(".badge.yes").waitFor(WAIT);
    await accessible(page, "exercises");
    assert.deepEqual(violations.splice(0), []);
    const hash = new URL(page.url()).hash;
    await load(page, packed({ schema: "", exercise: "../../x", variant: -3, answer: 7, tab: "exercises" }));
    await load(page, hash);
    assert.match(await panel.locator("h3").first().innerText(), /A head too many/);
    await page.context().close();
  },

  async "mistakes are marked as one types, and examples turn red"() {
    const page = await open();
    await page.locator(".state.yes").waitFor(WAIT);
    await page.locator("#schema .cm-content").click();
    const text = await shipped(page, "eisner1996");
    await written(page, text.replace("span[i, j, true, false]", "spam[i, j, true, false]"));
    await page.locator(".message.error").first().waitFor(WAIT);
    await page.locator("#schema .cm-lintRange-error").first().waitFor(WAIT);
    assert.equal(await page.locator("#schema .cm-lintRange-error").first().innerText(), "spam");
    await written(page, text.replace("final span[0, n, false, true]", "final span[0, n, true, false]"));
    await page.locator(".state.no").first().waitFor(WAIT);
    await page.screenshot({ path: `${room}/mistake.png` });
    await written(page, text);
    await page.locator(".state.yes").first().waitFor(WAIT);
    await page.context().close();
  },

  async "the editor completes names and fields, and says what is below the mouse"() {
    const page = await open();
    const text = await shipped(page, "eisner1996");
    await written(page, `${text}\nstep Twice\n  `);
    await settled(page);
    await page.locator("#schema .cm-content").click();
    await page.keyboard.press("Control+End");
    const offered = page.locator("#schema .cm-tooltip-autocomplete li, .cm-tooltip-autocomplete li");
    await page.keyboard.type("spa");
    await offered.filter({ hasText: "span" }).first().waitFor(WAIT);
    await page.screenshot({ path: `${room}/completion.png` });
    await page.keyboard.press("Escape");
    await page.keyboard.type("n[");
    await offered.filter({ hasText: "position" }).first().waitFor(WAIT);
    const fields = await offered.allInnerTexts();
    for (const one of ["n", "true", "false"]) assert.ok(fields.some((row) => row.startsWith(one)), `${one}: ${fields}`);
    await page.waitForTimeout(100);  // until the list takes keys
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator(".cm-tooltip-autocomplete li[aria-selected] .cm-completionLabel").innerText();
    await page.keyboard.press("Enter");
    assert.ok((await page.evaluate(() => globalThis.schemataText())).endsWith(`step Twice\n  span[${chosen}]`));
    await written(page, text);
    await settled(page);
    await pointed(page, 20, "span", /item span\[i: position, j: position, b: flag, c: flag\].*trees headed at i and at j/s);
    await page.screenshot({ path: `${room}/hover-span.png` });
    await pointed(page, 30, "b", /b: flag/);
    await page.screenshot({ path: `${room}/hover-b.png` });
    await page.context().close();
  },

  async "an answer whose solver is still fetched is stopped, and another one comes"() {
    const page = await open();
    const slow = [];
    await page.context().route("**/*.whl", (route) => slow.push(route));
    await tab(page, "relate");
    await page.locator("#panel-relate input[type=checkbox]").nth(1).check();
    await page.getByRole("button", { name: "Relate", exact: true }).click();
    await page.locator("button.stop:enabled").waitFor(WAIT);
    for (let k = 0; k < 200 && !slow.length; k += 1) await page.waitForTimeout(50);
    assert.equal(slow.length, 1);
    await page.locator("button.stop").click();
    await page.locator("#panel-relate").getByText("Stopped.").waitFor(WAIT);
    await settled(page);
    assert.equal(await page.evaluate(() => document.body.dataset.state), "ready");
    await page.locator("#panel-relate input[type=checkbox]").nth(1).uncheck();
    await page.locator("#panel-relate select").nth(1).selectOption("step-refinement");
    await page.getByRole("button", { name: "Relate", exact: true }).click();
    await page.locator("#panel-relate .badge").first().waitFor(WAIT);
    await page.context().close();
  },

  async "a run without end is stopped by the button and by the limit, with and without shared memory"() {
    for (const apart of [true, false]) {
      const context = await browser.newContext();
      const page = await context.newPage();
      if (!apart) {  // as from a server that knows nothing of these headers
        await page.route("**/*", async (route) => {
          const response = await route.fetch();
          const headers = response.headers();
          for (const name of ["cross-origin-opener-policy", "cross-origin-embedder-policy"]) delete headers[name];
          await route.fulfill({ response, headers });
        });
      }
      await page.goto(address + packed({ schema: ENDLESS, sentence: "a b", grammar: "", name: "", tab: "chart", parameters: {}, examples: [] }), WAIT);
      assert.equal(await page.evaluate(() => crossOriginIsolated), apart);
      await page.waitForFunction(() => document.body.dataset.state === "busy", null, WAIT);
      await page.locator("button.stop:enabled").waitFor(WAIT);
      await page.waitForTimeout(2_000);
      assert.equal(await page.evaluate(() => document.body.dataset.state), "busy");
      await page.locator("button.stop").click();
      await page.waitForFunction(() => document.body.dataset.state === "ready", null, WAIT);
      // the page lives on
      await page.locator("#menu").selectOption("cyk");
      await page.locator("#panel-chart svg").first().waitFor(WAIT);
      await settled(page);
      assert.match(await page.locator(".status").innerText(), /accepted/);
      if (apart) {
        await page.getByLabel("limit, s").fill("1");
        await page.evaluate((hash) => { location.hash = hash; }, packed({ schema: ENDLESS, sentence: "a b" }));
        await page.getByText("the limit of", { exact: false }).first().waitFor(WAIT);
      }
      await context.close();
    }
  },

  async "links hold the state, and nothing in them acts"() {
    const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    const cases = [
      { schema: `schema x\n  title "${evil}"\n  grammar d-rules\nitem a[i: position]\nstep S\n  ---  i in [1..n]\n  a[i]\nfinal a[n]\n`, sentence: evil, grammar: evil, examples: [{ sentence: evil, expected: evil }], name: evil, tab: "trees" },
      { schema: `${evil}\n${evil}`, sentence: evil, grammar: "all", parameters: { [evil]: 1, __proto__: 3 }, tab: "__proto__" },
      { schema: "a".repeat(150_000), sentence: "b ".repeat(2_000), examples: Array.from({ length: 500 }, () => ({ sentence: evil, expected: "accepted" })) },
      { schema: 3, sentence: { length: 3 }, grammar: [evil], examples: "x", parameters: [1], tab: {} },
      "[1, 2]", "null", "\"x\"", "{", "\u0000",
    ].map(packed);
    cases.push("#1.", "#1.!!!", "#<script>alert(1)</script>", "#javascript:alert(1)", `#1.${"A".repeat(5_000)}`, packed(" ".repeat(3_000_000)));
    const harmless = async (page, hash) => {
      assert.equal(await page.locator("img:not(.cm-widgetBuffer), iframe, object, embed, script:not([src='app.js'])").count(), 0, hash.slice(0, 60));
      assert.equal(await page.evaluate(() => [...document.querySelectorAll("*")].some((one) => [...one.attributes].some((x) => /^on/.test(x.name)))), false);
    };
    const page = await open(cases[0]);
    await harmless(page, cases[0]);
    for (const hash of cases) {
      await load(page, hash);
      await harmless(page, hash);
    }
    await load(page, packed({ schema: await shipped(page, "eisner1996"), sentence: "a b", grammar: "all" }));
    await page.locator(".sentence input").fill("a b c");
    await settled(page);
    const again = await open(new URL(page.url()).hash);
    assert.equal(await again.locator(".sentence input").inputValue(), "a b c");
    assert.match(await again.locator(".status").innerText(), /accepted/);
    await page.context().close();
    await again.context().close();
  },

  async "axe-core finds no fault, light, dark, and at the width of a phone"() {
    for (const [width, options] of Object.entries({
      wide: {}, phone: { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true },
    })) {
      const page = await open("", options);
      await tab(page, "verify");
      await page.locator("#panel-verify select").first().selectOption("planar");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.locator("#panel-verify .card svg").first().waitFor(WAIT);
      await tab(page, "compare");
      await page.locator("#panel-compare select").selectOption("collins1996");
      await page.locator("#panel-compare input[type=number]").fill("4");
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      await page.locator("#panel-compare svg.plot").first().waitFor(WAIT);
      await tab(page, "relate");
      await page.locator("#panel-relate input[type=number]").fill("2");
      await page.locator("#panel-relate select").nth(1).selectOption("step-refinement");
      await page.getByRole("button", { name: "Relate", exact: true }).click();
      await page.locator("#panel-relate .badge").first().waitFor(WAIT);
      await tab(page, "chart");
      await page.locator("#panel-chart g.item").first().press("Enter");
      await page.locator("#panel-chart .reason h3").waitFor(WAIT);
      for (const one of ["trees", "derivation", "step", "verify", "compare", "relate", "cost", "weights", "exercises", "chart"]) {
        await tab(page, one);
        await narrow(page, `${width}, ${one}`);
        const part = one === "chart" ? "html" : `#panel-${one}`;  // what stands beside it is the same for all
        await accessible(page, `${width}, light, ${one}`, width === "wide" ? ALL : ["color-contrast", "target-size"], part);
        if (width === "phone" && one !== "chart") continue;
        await page.emulateMedia({ colorScheme: "dark" });
        await accessible(page, `${width}, dark, ${one}`, ["color-contrast"], part);
        if (one === "chart") await page.screenshot({ path: `${room}/${width}-dark.png`, fullPage: width === "phone" });
        await page.emulateMedia({ colorScheme: "light" });
      }
      await page.screenshot({ path: `${room}/${width}-light.png`, fullPage: width === "phone" });
      await page.context().close();
    }
    assert.deepEqual(violations, []);
  },

  async "all of it is reached by keyboard"() {
    const page = await open();
    await page.locator("#menu").focus();
    const seen = [];
    for (let k = 0; k < 40; k += 1) {
      await page.keyboard.press("Tab");
      seen.push(await page.evaluate(() => document.activeElement?.closest("#schema, #grammar, .sentence, .examples, [role=tab], #panel-chart, .bar")?.id || document.activeElement?.closest(".sentence, .examples, .bar")?.className || document.activeElement?.getAttribute("role")));
    }
    for (const one of ["schema", "grammar", "sentence", "examples", "tab-chart", "panel-chart"]) assert.ok(seen.includes(one), `${one} is not reached: ${seen}`);
    await page.locator("#tab-chart").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-trees");
    await page.keyboard.press("Home");
    await settled(page);
    await page.locator("#panel-chart g.item").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("#panel-chart .reason h3").waitFor(WAIT);
    // the focus stays when a list is drawn anew
    const focused = () => page.evaluate(() => document.activeElement.value || document.activeElement.textContent);
    await tab(page, "step");
    await page.locator("#panel-step .offers button").first().focus();
    for (let taken = 1; taken < 4; taken += 1) {
      const before = await focused();
      await page.keyboard.press("Enter");
      await settled(page);
      assert.match(await page.locator("#panel-step .said").innerText(), new RegExp(`^${taken} taken`));
      assert.match(await focused(), /^span\[/);
      assert.notEqual(await focused(), before);
    }
    await page.getByRole("button", { name: "Back", exact: true }).focus();
    for (const left of ["2 taken", "1 taken"]) {
      await page.keyboard.press("Enter");
      await settled(page);
      assert.match(await page.locator("#panel-step .said").innerText(), new RegExp(`^${left}`));
      assert.equal(await focused(), "Back");
    }
    await tab(page, "exercises");
    const panel = page.locator("#panel-exercises");
    await panel.getByRole("button", { name: "Next", exact: true }).focus();
    for (const title of ["The next item of CKY", "Earley looks ahead"]) {
      await page.keyboard.press("Enter");
      await settled(page);
      assert.equal(await panel.locator("h3").first().innerText(), title);
      assert.equal(await focused(), "Next");
    }
    await panel.locator("select").focus();
    await page.keyboard.press("ArrowDown");
    await settled(page);
    assert.match(await focused(), /^04-/);
    await page.context().close();
  },

  async "the figures"() {
    const page = await open();
    const text = await shipped(page, "eisner1996");
    const taken = { checked: [], run: [], sentence: [] };
    await page.locator(".sentence input").fill("a b c d e f g h i j");
    for (let k = 0; k < 5; k += 1) {
      // A step that derives nothing new, under another name each time: the kernel is another one.
      await written(page, `${text}\nstep Again${k}\n  span[i, j, false, true]\n  ---\n  span[i, j, false, true]\n`);
      await settled(page);
      const found = await page.evaluate(() => globalThis.schemataFigures);
      for (const name of ["checked", "run"]) taken[name].push(found[name]);
      await page.locator(".sentence input").fill(`a b c d e f g h i ${k}`);
      await settled(page);
      taken.sentence.push((await page.evaluate(() => globalThis.schemataFigures)).run);
    }
    const { ready } = await page.evaluate(() => globalThis.schemataFigures);
    const least = (list) => Math.min(...list).toFixed(0);
    console.log(`  ready in ${(ready / 1000).toFixed(1)} s; findings in ${least(taken.checked)} ms, the answer to a run of ten words in ` +
      `${least(taken.run)} ms after a change of the schema, in ${least(taken.sentence)} ms after one of the sentence (least of five; the machine may be busy)`);
    await page.context().close();
  },
};

// What is not over at the end of the time is named, and is no failure: a machine may be busy, and a change waits for this.
let failed = 0;
let doing = null;
function finish() {
  serving.kill();
  if (doing) console.log(`not tried to its end, the time is over: ${doing}`);
  process.exit(failed ? 1 : 0);
}
setTimeout(finish, END - Date.now());

const only = process.env.ONLY;
for (const [kind, executablePath] of [["chromium", browsers[0]], ["firefox", browsers[1]]]) {
  if (!executablePath) continue;
  // Debian's Firefox is driven by the protocol that all browsers have, which does not pretend to be a phone.
  const wanted = Object.entries(tests).filter(([name]) => (!only || name.includes(only)) && (kind === "chromium" || !name.includes("axe-core")));
  browser = kind === "chromium" ? await chromium.launch({ executablePath, args: ["--no-sandbox"] }) : await firefox.launch({ executablePath, channel: "moz-firefox" });
  for (const [name, test] of wanted) {
    // A test fails when it fails twice: mice, focus and clocks of a busy machine are not the page's. Both failures are printed.
    for (let again = 0; again < 2; again += 1) {
      const from = Date.now();
      doing = `${kind}: ${name}`;
      try {
        await test(kind);
        assert.deepEqual(faults.splice(0), []);
        console.log(`passed: ${doing} (${((Date.now() - from) / 1000).toFixed(0)} s)`);
        break;
      } catch (problem) {
        failed += again;
        console.log(`${again ? "FAILED" : "failed, and is tried again"}: ${doing}\n${problem.stack ?? problem}\n${faults.splice(0).join("\n")}`);
        await Promise.all(browser.contexts().map((context) => context.close()));
      }
    }
  }
  doing = null;
  await browser.close();
}
finish();
