"""Values written to files as they are shown: pictures, pages and texts, by the suffix of the file."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from schemata.display import shown
from schemata.display.terminal import Page
from schemata.errors import UsageError, one_of
from schemata.text_files import write_text, writing

SUFFIXES = (".svg", ".html", ".tex", ".tikz", ".txt", ".pdf", ".png")
"""The kinds of files that values are saved as; `.tikz` is what `.tex` is."""

_SCALE = 2.0  # pixels of a PNG for a pixel of a picture


def saved(value: Any, path: str | PathLike[str], **options: Any) -> Path:
    """Write a value to a file and return its path.

    Parameters
    ----------
    value : what notebooks show: a schema, a chart, its picture, a forest, a tree or another structure, a derivation,
        a list of these, an answer.
    path : the file; its suffix says what is written. LaTeX is a fragment.
    options : those of `shown.svg_of`, `tex_of` and `text_of`, such as `width` and, for a chart, its `view`.

    Raises
    ------
    UsageError : no such kind of file, or not for such a value; no library that writes it; the file cannot be written.
    """
    file = Path(path)
    suffix = file.suffix.casefold()
    if suffix not in SUFFIXES:
        message = f"{fspath(path)!r} is no kind of picture"
        raise UsageError(message, code="unknown-suffix", expected=f"a file that ends in {one_of(SUFFIXES)}")
    try:
        if suffix in (".pdf", ".png"):
            return _converted(shown.svg_of(value, **options), file)
        if suffix == ".svg":
            text = shown.svg_of(value, **options)
        elif suffix == ".html":
            text = shown.page_of(value, **options)
        elif suffix == ".txt":
            text = shown.plain_text(value, _page(options)) + "\n"
        else:
            text = shown.tex_of(value, **options) + "\n"
    except shown.NotShownError as error:
        message = f"{type(value).__name__} is not saved as {suffix}: {error}"
        raise UsageError(message, code="unknown-suffix", expected="another kind of file") from error
    return write_text(file, text)


def _page(options: dict[str, Any]) -> Page:
    width = options.get("width")
    return Page(100 if width is None else width)


def _converted(picture: str, file: Path) -> Path:
    """Write an SVG document as PDF or PNG.

    Raises
    ------
    UsageError : cairosvg is not installed, or does not find the library cairo; the file cannot be written.
    """
    try:
        import cairosvg
    except (ImportError, OSError) as error:
        message = f"{file.suffix} needs cairosvg, which is not there: {error}"
        hint = "pip install cairosvg; or save it as .svg"
        raise UsageError(message, code="missing-library", hint=hint) from error
    data = picture.encode()
    with writing(file):
        if file.suffix.casefold() == ".pdf":
            cairosvg.svg2pdf(bytestring=data, write_to=str(file))
        else:
            cairosvg.svg2png(bytestring=data, write_to=str(file), scale=_SCALE, background_color="white")
    return file
