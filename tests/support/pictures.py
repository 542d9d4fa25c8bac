"""Pictures in SVG that tests read: texts apart, and all within the picture."""

import itertools
import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?"


def parsed(text):
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def boxes(root):
    """Return left, top, right and bottom of every text."""
    for node in root.iter(f"{SVG}text"):
        x, y, size, length = (float(node.get(key)) for key in ("x", "y", "font-size", "textLength"))
        left = {"start": x, "middle": x - length / 2}[node.get("text-anchor")]
        yield left, y - 0.75 * size, left + length, y + 0.2 * size


def check_picture(text):
    """Check that all texts and lines are within the picture, and that no two texts overlap."""
    root = parsed(text)
    width, height = (float(root.get(name)) for name in ("width", "height"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    found = sorted(boxes(root))
    for k, (left, top, right, bottom) in enumerate(found):
        assert min(left, top, width - right, height - bottom) >= -0.01
        for other in itertools.takewhile(lambda box: box[0] < right - 0.01, found[k + 1 :]):  # noqa: B023
            assert other[3] <= top or bottom <= other[1], "two texts overlap"
    for path in root.iter(f"{SVG}path"):
        for x, y in re.findall(rf"[ML]({NUMBER}) ({NUMBER})", path.get("d")):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
        assert all(0 <= float(x) <= width for x in re.findall(rf"H({NUMBER})", path.get("d")))
        assert all(0 <= float(y) <= height for y in re.findall(rf"V({NUMBER})", path.get("d")))
    return root
