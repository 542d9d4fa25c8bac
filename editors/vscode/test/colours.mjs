// The grammars colour: some files as the snapshots beside this file say, and all files as the lexers for Pygments do.
//
//     node test/colours.mjs ROOT [SCOPES | --update]
//
// ROOT is the repository; SCOPES are those of `.ci/textmate.py FILE...`; --update writes the snapshots anew.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");
const extension = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const snapshots = path.join(extension, "test", "snapshots");
const [root, option] = process.argv.slice(2);
const SHOWN = [
  "schema_specs/projective/eisner1996.schema",
  "schema_specs/relations/dvh2-dvh3.relation",
  "examples/english.drules",
  "examples/english.deprules",
  "examples/bilexical.facts",
];

const { contributes } = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));
await oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
const registry = new textmate.Registry({
  onigLib: {
    createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
    createOnigString: (text) => new oniguruma.OnigString(text),
  },
  loadGrammar: (scope) => {
    const file = path.join(extension, contributes.grammars.find((x) => x.scopeName === scope).path);
    return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  },
});
const grammars = {};
for (const { language, scopeName } of contributes.grammars) grammars[language] = await registry.loadGrammar(scopeName);

/** The lines of a file, each with its tokens: places and the innermost scope, null where there is none. */
function coloured(file) {
  const suffix = path.extname(file);
  const known = contributes.languages.find((x) => x.extensions.includes(suffix))?.id ?? "schemagrammar"; // .cfg
  let state = textmate.INITIAL;
  return fs.readFileSync(path.join(root, file), "utf8").replace(/\n$/, "").split("\n").map((line) => {
    const result = grammars[known].tokenizeLine(line, state);
    state = result.ruleStack;
    if (result.stoppedEarly) throw new Error(`${file}: too slow: ${line}`);
    const tokens = result.tokens.map((x) => [x.startIndex, Math.min(x.endIndex, line.length), x.scopes[1] ?? null]);
    return { line, tokens };
  });
}

/** A line, and below it each token with its scope. */
function shown({ line, tokens }) {
  const rows = tokens.filter(([, , scope]) => scope).map(([start, end, scope]) =>
    ` ${" ".repeat(start)}${"^".repeat(end - start)} ${scope}`);
  return [`>${line}`, ...rows].join("\n");
}

let wrong = 0;
for (const file of SHOWN) {
  const text = coloured(file).map(shown).join("\n") + "\n";
  const snapshot = path.join(snapshots, `${path.basename(file)}.txt`);
  if (option === "--update") {
    fs.mkdirSync(snapshots, { recursive: true });
    fs.writeFileSync(snapshot, text);
  } else if (fs.readFileSync(snapshot, "utf8") !== text) {
    const [old, now] = [fs.readFileSync(snapshot, "utf8").split("\n"), text.split("\n")];
    const k = now.findIndex((row, number) => row !== old[number]);
    console.log(`${file}: line ${k + 1} of its snapshot is\n  ${old[k]}\nand now\n  ${now[k]}`);
    wrong += 1;
  }
}

let characters = 0;
const files = option && option !== "--update" ? JSON.parse(fs.readFileSync(option, "utf8")) : {};
for (const [file, lines] of Object.entries(files)) {
  coloured(file).some(({ line, tokens }, number) => {
    // Places are in UTF-16 here, and in characters there.
    const row = [...line].flatMap((sign, k) => Array(sign.length).fill(lines[number][k]));
    const other = tokens.find(([start, end, scope]) => row.slice(start, end).some((x) => x !== scope));
    characters += row.length;
    if (other) {
      console.log(`${file}:${number + 1}: ${other[2]} is ${row.slice(other[0], other[1])} for Pygments: ${line}`);
      wrong += 1;
    }
    return Boolean(other);
  });
}
if (!wrong) console.log(`${SHOWN.length} snapshots, ${Object.keys(files).length} files (${characters} characters): as they should be`);
process.exitCode = wrong ? 1 : 0;
