"""Write the figures of the page into docs/playground.md: python .ci/browser/figures.py

The page is exported to build/browser/page, and its worker measured under node (`worker.mjs`). Figures of a busy machine
mean little.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
page, figures = root / "build" / "browser" / "page", root / "build" / "browser" / "figures.json"
document = root / "docs" / "playground.md"

page.parent.mkdir(parents=True, exist_ok=True)
subprocess.run([sys.executable, "-m", "schemata", "playground", "--export", str(page)], cwd=root, check=True)
subprocess.run(["node", ".ci/browser/worker.mjs", str(page), str(figures)], cwd=root, check=True)
found = json.loads(figures.read_text("utf-8"))
rows = {
    "until the first run, compressed, at most 8 MB": f"{found['megabytes']:.2f} MB",
    "until Python answers, at most 5 s": f"{found['ready']:.1f} s, of which the processor works {found['work']:.1f} s",
    "findings after a change, at most 200 ms": f"{found['check']:.0f} ms",
    "the answer to a run of ten words, at most 50 ms": f"{found['answer']:.0f} ms",
    "of which the run itself takes": f"{found['run']:.0f} ms",
}
table = "\n".join(
    ["| what | measured |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
)
text = document.read_text("utf-8")
written = re.sub(
    r"(<!-- figures -->\n\n).*?(\n\n<!-- end -->)", lambda m: m[1] + table + m[2], text, flags=re.S
)
assert table in written, "the page has no place for figures"
document.write_text(written, "utf-8")
print(table)
