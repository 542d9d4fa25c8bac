// The editor: CodeMirror with the colours of schemata, findings at their places, completion and hover.
import {
  EditorState, EditorView, HighlightStyle, StreamLanguage, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap,
  completionKeymap, defaultKeymap, drawSelection, highlightSelectionMatches, highlightSpecialChars, history, historyKeymap,
  hoverTooltip, indentUnit, keymap, lineNumbers, lintGutter, lintKeymap, searchKeymap, setDiagnostics, syntaxHighlighting, tags,
} from "./vendor/codemirror.js";
import { h } from "./dom.js";

const MARKED = 200;  // findings with a mark at their place: thousands would hold the page up

const WORDS = new Set(("where given case attach link licensed builds category corner disjunct join root head rule is in not and or minus to of by " +
  "if from extends empty absent present length weight over under matches composed for every beginning ending with covers").split(" "));
const TYPES = new Set("position integer flag symbol intervals arcs labels list dotted double-dotted".split(" "));

// Colours a line as it is read; what begins a declaration is named by the library's own list.
function schemaLanguage(declarations) {
  const first = new RegExp(`^(${declarations.map((one) => one.replaceAll(" ", "\\s+")).join("|")})(?![\\w'-])`);
  return StreamLanguage.define({
    name: "schema",
    startState: () => ({ named: false }),
    token(stream, state) {
      if (stream.sol()) state.named = false;
      if (stream.eatSpace()) return null;
      if (stream.match(/^#.*/)) return "comment";
      if (stream.match(/^"[^"\n]*"/)) return "string";
      const atStart = /^\s*$/.test(stream.string.slice(0, stream.pos));
      if (atStart && stream.match(/^[-\u2500]{3,}/)) return "operator";
      const found = atStart && stream.match(first);
      if (found) {
        state.named = /^(schema|step|mirror\s+step|part|relation|replace\s+step|item|define|type)$/.test(found[0]);
        return "keyword";
      }
      if (stream.match(/^\d+(\.\d+)?/)) return "number";
      const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*'*(-[\p{L}\p{N}]+)*/u);
      if (word) {
        if (state.named) {
          state.named = false;
          return "typeName";
        }
        if (stream.match(/^\s*\[/, false)) return "variableName.function";
        if (word[0] === "true" || word[0] === "false") return "bool";
        if (TYPES.has(word[0])) return "typeName";
        return WORDS.has(word[0]) ? "controlKeyword" : "variableName";
      }
      state.named = false;
      if (stream.match(/^(<=|>=|!=|==|\.\.|[-+*/=<>~•·∧∨¬≤≥≠∈∉])/)) return "operator";
      stream.next();
      return "punctuation";
    },
    tokenTable: { controlKeyword: tags.controlKeyword },
    languageData: { commentTokens: { line: "#" } },
  });
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.keyword, class: "tok-declaration" },
  { tag: tags.controlKeyword, class: "tok-word" },
  { tag: tags.typeName, class: "tok-type" },
  { tag: [tags.number, tags.bool], class: "tok-number" },
  { tag: tags.function(tags.variableName), class: "tok-item" },
  { tag: tags.operator, class: "tok-operator" },
]);

// The place of a line and a column, as messages count them: from 1, in characters, whatever their size.
export function offset(doc, line, column) {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const before = [...found.text].slice(0, Math.max(0, column - 1)).join("");
  return Math.min(found.from + before.length, found.to);
}

// The line and the character of a place, from 0, as the library's editing functions count them.
function place(doc, position) {
  const line = doc.lineAt(position);
  return { line: line.number - 1, character: position - line.from };
}

function marked(state, found) {
  return found.map((one) => {
    const from = one.line ? offset(state.doc, one.line, one.column ?? 1) : 0;
    const line = state.doc.lineAt(from);
    const end = one.line && one.end_column ? offset(state.doc, one.line, one.end_column) : from + 1;
    const to = Math.min(Math.max(end, Math.min(from + 1, line.to)), state.doc.length);
    const said = [one.message, one.expected && `expected: ${one.expected}`, one.hint && `hint: ${one.hint}`].filter(Boolean);
    return {
      from: Math.min(from, to), to, severity: one.severity === "warning" ? "warning" : "error", message: said.join("\n"),
      renderMessage: () => h("div", {}, said.map((text, k) => h("div", { class: k ? "lint-more" : "lint-message" }, text))),
    };
  });
}

// parent: the element; onChange(text) as one types; complete(place) and hover(place) are promises.
export function makeEditor({ parent, label, language, onChange, complete, hover, schema = true }) {
  const source = async (context) => {
    const word = context.matchBefore(/[\p{L}\p{N}_'-]+/u);
    const within = context.matchBefore(/\[(?:[^\][]*[,:])? ?/u);  // where a field begins
    if (!word && !within && !context.explicit) return null;
    const options = await complete(place(context.state.doc, context.pos));
    return options && options.length ? { from: word ? word.from : context.pos, options, validFor: /^[\p{L}\p{N}_'-]*$/u } : null;
  };
  const hovering = hoverTooltip(async (view, position) => {
    const said = await hover(place(view.state.doc, position));
    if (!said) return null;
    return { pos: position, above: true, create: () => ({ dom: h("div", { class: "hover" }, h("pre", {}, said)) }) };
  });
  const extensions = [
    lineNumbers(), highlightSpecialChars(), history(), drawSelection(), EditorState.allowMultipleSelections.of(true),
    bracketMatching(), closeBrackets(), highlightSelectionMatches(), indentUnit.of("  "), EditorView.lineWrapping,
    syntaxHighlighting(COLOURS), lintGutter(),
    schema ? schemaLanguage(language.declarations) : [],
    complete ? autocompletion({ override: [source] }) : [],
    hover ? hovering : [],
    // Tab leaves the editor, as everywhere on a page: who has no mouse must get out.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    },
    mark(found) {
      view.dispatch(setDiagnostics(view.state, marked(view.state, found.slice(0, MARKED))));
    },
    go(line, column) {
      const at = offset(view.state.doc, line, column);
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
  };
}
