// The client of `schemata lsp`: it starts the server that the setting `schemata.command` names, and shows what it is asked
// to explain as a text beside the file: messages of the editor have one line.
const { EventEmitter, Uri, ViewColumn, commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["schema", "schemagrammar", "schemadict"];
const ABOUT = "schemata-about";
const EXPLAIN = "schemata.explainLens";
const explained = { text: "", changed: new EventEmitter() };
let client;
let turn = Promise.resolve(); // starts and stops wait for each other

async function stop() {
  const old = client;
  client = undefined;
  if (old?.isRunning()) await old.stop();
  await old?.dispose().catch(() => undefined);
}

async function start() {
  await stop();
  const command = workspace.getConfiguration("schemata").get("command");
  if (!Array.isArray(command) || !command.length || !command.every((part) => typeof part === "string")) {
    window.showErrorMessage('The setting schemata.command is not a list of texts, such as ["schemata", "lsp"].');
    return;
  }
  const [program, ...args] = command;
  try {
    client = new LanguageClient("schemata", "Schemata", { command: program, args }, {
      middleware: { executeCommand: explain },
      documentSelector: LANGUAGES.flatMap((language) => ["file", "untitled"].map((scheme) => ({ language, scheme }))),
    });
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `The language server did not start: ${error.message ?? error}. Install it with ` +
        'pip install "parsing-schemata[lsp]", or name the program in the setting schemata.command.',
    );
  }
}

async function explain(command, args, next) {
  if (command !== EXPLAIN) return next(command, args);
  const text = await next("schemata.lensText", args);
  if (typeof text !== "string") return text;
  explained.text = text;
  const place = Uri.from({ scheme: ABOUT, path: "verdict.txt" });
  explained.changed.fire(place);
  const document = await workspace.openTextDocument(place);
  await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true });
  return text;
}

function restart() {
  turn = turn.then(start);
  return turn;
}

exports.explain = explain; // for the test

exports.activate = (context) => {
  context.subscriptions.push(
    commands.registerCommand("schemata.restart", restart),
    workspace.registerTextDocumentContentProvider(ABOUT, {
      onDidChange: explained.changed.event,
      provideTextDocumentContent: () => explained.text,
    }),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("schemata.command") && restart()),
  );
  restart(); // not awaited: the editor goes on
};

exports.deactivate = () => turn.then(stop);
