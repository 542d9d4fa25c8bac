// The packaged client starts a server, is answered, stops it, and says what is wrong where there is none. The editor is a
// stand-in that agrees to everything: what it shows is not tested here.
//
//     node test/client.mjs COMMAND ARGUMENT...
import assert from "node:assert/strict";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const command = process.argv.slice(2);
const errors = [];
const callbacks = {};
const shown = [];
let provider;
let setting = command;

/** An object that has every member, can be called, constructed and extended; some members are given. */
function anything(given = {}) {
  const base = class {
    constructor(...values) {
      Object.assign(this, values[0]?.constructor === Object ? values[0] : {});
    }
  };
  return new Proxy(base, {
    get: (_, name) => {
      if (name in given) return given[name];
      if (name === "prototype") return base.prototype;
      if (name === "then" || name === Symbol.iterator) return undefined;
      if (name === Symbol.toPrimitive) return () => "";
      return (given[name] = anything());
    },
    apply: () => anything(),
  });
}
const nothing = () => ({ dispose: () => undefined });
const vscode = anything({
  version: "1.82.0",
  commands: anything({
    registerCommand: (name, callback) => {
      callbacks[name] = callback;
      return nothing();
    },
  }),
  window: anything({
    createOutputChannel: () => ({ append: nothing, appendLine: nothing, show: nothing, dispose: nothing }),
    showErrorMessage: async (text) => void errors.push(text),
    showTextDocument: async (document) => void shown.push(document),
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: nothing },
  }),
  workspace: anything({
    getConfiguration: () => ({ get: (name) => (name === "command" ? setting : undefined) }),
    registerTextDocumentContentProvider: (_, given) => {
      provider = given;
      return nothing();
    },
    openTextDocument: async () => provider.provideTextDocumentContent(),
    workspaceFolders: undefined,
    textDocuments: [],
    notebookDocuments: [],
  }),
  EventEmitter: class {
    event = nothing;
    fire() {}
    dispose() {}
  },
  Disposable: class {
    dispose() {}
  },
  env: anything({ appName: "stand-in", language: "en" }),
});

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const folder = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const extension = createRequire(import.meta.url)(path.join(folder, "dist", "extension.js"));

setTimeout(() => assert.fail("no answer within two minutes"), 120_000).unref();
extension.activate({ subscriptions: [] });
await callbacks["schemata.restart"](); // waits for the start, and starts once more
assert.deepEqual(errors, []);
assert.ok("schemata.explainLens" in callbacks, "the server's commands are the editor's");
assert.equal(await callbacks["schemata.explainLens"]("file:///x.schema", 1), null); // there is no such lens
await extension.deactivate();
const asked = [];
const next = async (name, args) => asked.push([name, ...args]) && (args[1] ? "why, in\nseveral lines" : null);
assert.equal(await extension.explain("schemata.explainLens", ["file:///x.schema", 1], next), "why, in\nseveral lines");
assert.deepEqual(shown, ["why, in\nseveral lines"]);
await extension.explain("schemata.explainLens", ["file:///x.schema", 0], next);
await extension.explain("schemata.repair", ["file:///x.schema"], next);
assert.equal(shown.length, 1);
const names = ["schemata.lensText", "schemata.lensText", "schemata.repair"];
assert.deepEqual(asked.map((one) => one[0]), names);

for (const wrong of [["/no/such/program"], "schemata lsp", []]) {
  setting = wrong;
  errors.length = 0;
  await callbacks["schemata.restart"]();
  assert.match(errors.at(-1) ?? "no message", /schemata\.command/);
}
console.log("the client starts and stops the server");
process.exit();
