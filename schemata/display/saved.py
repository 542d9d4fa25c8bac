"""Values written to files as they are shown: pictures, pages and texts, by the suffix of the file."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from schemata.display import shown, svg
from schemata.display.terminal import Page
from schemata.engine.chart import Chart
from schemata.errors import UsageError, one_of
from schemata.text_files import write_text, writing

SUFFIXES = (".svg", ".html", ".tex", ".tikz", ".txt", ".pdf", ".png")
"""The kinds of files that values are saved as; `.tikz` is the same as `.tex`."""

_SCALE = 2.0  # pixels of a PNG for a pixel of a picture


def saved(
    value: Any,
    path: str | PathLike[str],
    *,
    width: int | None = svg.WIDTH,
    view: str | None = None,
    derivations: int = 3,
) -> Path:
    """Write a value to a file and return its path.

    Parameters
    ----------
    value : a value that notebooks show: a schema, a chart, its picture, a forest, a tree or another structure, a
        derivation,
        a list of these, an answer.
    path : the file; its suffix chooses the format. LaTeX is a fragment.
    width : the columns that pictures and texts take; None for as many as pictures need.
    view : how a chart is drawn: triangle, columns or edges. A page of a chart shows this view alone.
    derivations : the derivations that the page of a chart shows (3).

    Raises
    ------
    UsageError : the kind of file or of view is unknown, or not for such a value; the library that writes it is missing;
        the file cannot be written.
    """
    file = Path(path)
    suffix = file.suffix.casefold()
    if suffix not in SUFFIXES:
        message = f"{fspath(path)!r} is not a kind of picture"
        raise UsageError(message, code="unknown-suffix", expected=f"a file that ends in {one_of(SUFFIXES)}")
    if view is not None and isinstance(value, Chart):
        value = shown.picture_of(value, view)
    try:
        if suffix in (".pdf", ".png"):
            return _converted(shown.svg_of(value, width=width), file)
        if suffix == ".svg":
            text = shown.svg_of(value, width=width)
        elif suffix == ".html":
            text = shown.page_of(value, derivations=derivations, width=width)
        elif suffix == ".txt":
            text = shown.plain_text(value, Page(width or svg.WIDTH)) + "\n"
        else:
            text = shown.tex_of(value, width=width) + "\n"
    except shown.NotShownError as error:
        message = f"{type(value).__name__} is not saved as {suffix}: {error}"
        raise UsageError(message, code="unknown-suffix", expected="another kind of file") from error
    return write_text(file, text)


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
