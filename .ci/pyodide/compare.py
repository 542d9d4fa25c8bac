"""Compare the answers of two Pythons to `questions.py`: prints the first difference of each; exit code 1 if any.

python .ci/pyodide/compare.py EXPECTED.json ANSWERS.json
"""

import json
import sys
from difflib import unified_diff
from pathlib import Path

expected, answers = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
pythons = [".".join(map(str, one.pop("python"))) for one in (expected, answers)]
wrong = [question for question in {**expected, **answers} if expected.get(question) != answers.get(question)]
for question in wrong:
    texts = (
        json.dumps(one.get(question), indent=1).replace("\\n", "\n").splitlines()
        for one in (expected, answers)
    )
    print(f"differs: {question}", *unified_diff(*texts, *pythons, lineterm="", n=1), sep="\n  ")
print(f"Python {' and '.join(pythons)}: {len(expected)} questions, {len(wrong)} answered otherwise")
raise SystemExit(bool(wrong))
