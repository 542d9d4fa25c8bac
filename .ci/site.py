"""What MkDocs needs beyond its configuration to make the site from pages that are also read in the repository.

README.md, CONTRIBUTING.md and CHANGELOG.md become pages; links between files of the repository become links between
pages; file names of code blocks become their titles; the options of all commands are written into the page about the
command line; notebooks are executed, and shown with their outputs; below a command that writes pictures stand the
pictures that it writes. The page in the browser stands beside the site, in `playground/`, where its parts are there or
npm can fetch them.
"""

from __future__ import annotations

import base64
import contextlib
import html
import io
import json
import logging
import os
import posixpath
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files at the top of the repository that are pages of the site."""

NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
MADE = re.compile(r"^Made by `[^\n]*; do not edit it by hand\.\n", re.MULTILINE)
OPTIONS = "<!-- the options of all commands -->"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
WORKER = """<script>
// Pages opened as files may not start workers, and the search is one: it runs in a frame instead.
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.append(frame)
    const script = frame.contentDocument.createElement("script")
    this.loaded = new Promise(resolve => { script.onload = () => resolve(frame.contentWindow) })
    frame.contentWindow.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
    script.src = url
    frame.contentDocument.body.append(script)
  }
  postMessage(data) {
    this.loaded.then(frame => frame.dispatchEvent(new MessageEvent("message", { data })))
  }
}
</script>"""
"""What stands in the theme's place for a script from elsewhere: the site asks for nothing that is not in it."""

TRY = "<!-- try it in the browser -->"
"""Where pages link to the page in the browser, if the site has it."""

made_parts: list[Path] = []
"""The folder with the parts of the page in the browser; none where they cannot be made."""

FENCE = re.compile(r"^```(\w+) ([\w.-]+\.\w+)$", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_FILE = re.compile(r"^```\w+ ([\w.-]+\.\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WROTE = re.compile(r"^wrote (.*\.svg)$", re.MULTILINE)


def _register_lexers() -> None:
    """Let Pygments find the lexers of the repository, whether it is installed or not."""
    from pygments.lexers import LEXERS

    sys.path.insert(0, str(ROOT))  # for the package beside this script
    from schemata.display import highlighting

    for lexer in (highlighting.SchemaLexer, highlighting.GrammarLexer):
        about = highlighting.__name__, lexer.name, tuple(lexer.aliases), tuple(lexer.filenames), ()
        LEXERS[lexer.__name__] = about


_register_lexers()


def on_pre_build(config: MkDocsConfig) -> None:
    """Look for the parts of the page in the browser, or make them."""
    from schemata.errors import UsageError
    from schemata.playground.parts import parts

    made_parts.clear()
    try:
        made_parts.append(parts())
    except UsageError as problem:
        logging.getLogger("mkdocs.hooks").info("no page in the browser: %s", problem)


def on_post_build(config: MkDocsConfig) -> None:
    """Write the page in the browser."""
    from schemata.playground.export import export

    for parts in made_parts:
        for warning in export(Path(config.site_dir) / "playground", parts):
            logging.getLogger("mkdocs.hooks").info("%s", warning.message)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    from mkdocs.structure.files import File

    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    for notebook in NOTEBOOKS:
        text = notebook_page(executed(notebook))
        files.append(File.generated(config, f"{notebook.stem}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Make what is written for the repository right for the site."""
    sources = {name: source for source, name in PAGES.items()}
    name = page.file.src_uri
    if TRY in markdown:
        link = '<p><a class="md-button" href="playground/index.html">Try it in the browser</a></p>'
        markdown = markdown.replace(TRY, link if made_parts else "")
    markdown = CONSOLE.sub(lambda block: block[0] + drawn(block[1], SHOWN_FILE.findall(markdown)), markdown)
    if OPTIONS in markdown:
        markdown = markdown.replace(OPTIONS, options_of_commands())
    made = MADE.search(markdown)
    if made:  # a reader begins with the page, not with who may edit it
        markdown = f"{MADE.sub('', markdown, count=1).rstrip()}\n\n---\n\n*{made[0].strip()}*\n"
    return adapted(markdown, sources.get(name, f"docs/{name}"))


def on_page_content(content: str, **_: object) -> str:
    """Put the HTML that cells of a notebook show where it belongs."""
    return re.sub(r"data-html='([^']*)'>", lambda found: f">{base64.b64decode(found[1]).decode()}", content)


def on_post_page(output: str, **_: object) -> str:
    """Let the search run in pages opened as files; make sure that pages need nothing from elsewhere.

    Raises
    ------
    mkdocs.exceptions.PluginError : a page loads a script, a style or a picture from the network.
    """
    from mkdocs.exceptions import PluginError

    output = output.replace('<script src="https://unpkg.com/iframe-worker/shim"></script>', WORKER)
    if found := re.search(
        r'<(?:script|img)[^>]* src="?https?:[^>]*>|<link[^>]* rel="?stylesheet[^>]*https?:[^>]*>', output
    ):
        raise PluginError(f"a page needs the network: {found[0]}")
    return output


def adapted(markdown: str, source: str) -> str:
    """Return the text of a file of the repository as that of a page: its links, and the titles of its code.

    Links to files that are no pages keep their text only. Code is left alone.
    """

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        if not target or "://" in target:
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in PAGES:
            return f"[{text}]({PAGES[path]}{anchor})"
        path = path.replace(".ipynb", ".md")
        return f"[{text}]({path.removeprefix('docs/')}{anchor})" if path.startswith("docs/") else text

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [LINK.sub(link, part).replace("](docs/", "](") for part in parts[::2]]
    parts[1::2] = [FENCE.sub(r'```\1 title="\2"', part) for part in parts[1::2]]
    return "".join(parts)


def drawn(console: str, files: Sequence[tuple[str, str]]) -> str:
    """Return the pictures that commands shown in a block write, as Markdown; run beside the files that the page shows.

    Raises
    ------
    FileNotFoundError : a command does not write what the page says.
    """
    from schemata.cli.main import main

    names = WROTE.findall(console)
    if not names:
        return ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in files:
            Path(name).write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for line in console.splitlines():
                if line.startswith("$ schemata "):
                    main(shlex.split(line)[2:])
        pictures = [Path(name).read_bytes() for name in names]
    return "".join(f"\n\n{image(name, svg)}" for name, svg in zip(names, pictures, strict=True))


def image(about: str, svg: bytes) -> str:
    """Return a picture as an element of a page: the picture is within it, light or dark as the reader prefers."""
    return f'<img alt="{about}" src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}">'


def options_of_commands() -> str:
    """Return a section for every command: its usage, and a table of its arguments and options."""
    import importlib
    import inspect

    from schemata.cli.main import COMMANDS
    from schemata.cli.usage import CommandParser

    lines = []
    for name, (place, about) in COMMANDS.items():
        module, _, function = place.partition(":")
        command = getattr(importlib.import_module(f"schemata.cli.{module}"), function)
        parser = CommandParser(prog=f"schemata {name}", add_help=False)
        for option in command.options:
            parser.add_argument(*option.flags, **option.settings)
        lines += [
            f"## {name}",
            "",
            f"*{about[0].upper()}{about[1:]}.*",
            "",
            inspect.getdoc(command.run) or "",
            "",
        ]
        lines += ["| argument | meaning |", "|---|---|"]
        for action in parser._actions:
            written = (
                ", ".join(f"`{flag}`" for flag in action.option_strings)
                or f"`{action.metavar or action.dest}`"
            )
            if action.option_strings and action.nargs != 0:
                values = action.metavar or "{" + ",".join(map(str, action.choices or ())) + "}"
                written += f" `{values}`"
            said = html.escape((action.help or "") % {"default": action.default}, quote=False)
            lines.append(f"| {written.replace('|', chr(92) + '|')} | {said.replace('|', chr(92) + '|')} |")
        lines.append("")
    return "\n".join(lines)


def executed(path: Path) -> dict[str, Any]:
    """Return a notebook with the outputs of a run in a fresh kernel.

    Raises
    ------
    nbclient.exceptions.CellExecutionError : a cell fails.
    """
    import nbclient
    import nbformat

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return dict(json.loads(nbformat.writes(notebook)))


def notebook_page(notebook: dict[str, Any]) -> str:
    """Return an executed notebook as a page of Markdown: pictures as images, other outputs as text or HTML."""
    lines = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [text, ""]
            continue
        lines += ["```python", text, "```", ""]
        for output in cell["outputs"]:
            lines += [shown(output), ""]
    return "\n".join(lines)


def shown(output: dict[str, Any]) -> str:
    """Return one output of a cell as Markdown."""
    data = {kind: "".join(value) for kind, value in output.get("data", {}).items()}
    if "image/svg+xml" in data:
        return image("what the cell shows", data["image/svg+xml"].encode())
    if "text/html" in data:  # kept from Markdown, which would take parts of it for its own
        text = base64.b64encode(data["text/html"].encode()).decode()
        return f"<div class='output' data-html='{text}'></div>"
    text = "".join(output.get("text", "")) or data.get("text/plain", "")
    return f"```text\n{text.rstrip()}\n```"
