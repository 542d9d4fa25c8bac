// The client of `schemata lsp`: it starts the server that the setting `schemata.command` names, and nothing else.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["schema", "schemagrammar", "schemadict"];
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
    window.showErrorMessage('The setting schemata.command is no list of texts, such as ["schemata", "lsp"].');
    return;
  }
  const [program, ...args] = command;
  try {
    client = new LanguageClient("schemata", "Schemata", { command: program, args }, {
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

function restart() {
  turn = turn.then(start);
  return turn;
}

exports.activate = (context) => {
  context.subscriptions.push(
    commands.registerCommand("schemata.restart", restart),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("schemata.command") && restart()),
  );
  restart(); // not awaited: the editor goes on
};

exports.deactivate = () => turn.then(stop);
