"""What every page has around its content: head, looks, the link past the navigation, and ASCII."""

from __future__ import annotations

from importlib.resources import files

from dpaudit.report.page.markup import Html, element, joined, raw

LIMIT = 500_000
"""Bytes of a page. Raw results are embedded as far as they fit."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
CSS, SCRIPT = (
    files("dpaudit.report.page").joinpath(name).read_text("utf-8")
    for name in ("page.css", "page.js")
)
"""The looks, and a script that shows the filter of the claims table and opens what is folded before
printing. No fonts, pictures or files from elsewhere."""


def begun(title: str, *body: object) -> str:
    """A page to the place where its content begins, in `<main>`; `ended` ends it."""
    head = joined(
        (
            raw('<meta charset="utf-8">'),
            element("meta", http_equiv="Content-Security-Policy", content=POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("link", rel="icon", href="data:,"),
            element("title", title, " - dpaudit"),
            element("style", raw(CSS)),
        )
    )
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    words = f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{skip}'
    return ascii_only(f'{words}{joined(body)}\n<main id="main">\n')


def ended(scripts: bool = True) -> str:
    """The end of a page."""
    script = element("script", raw(SCRIPT)) if scripts else ""
    return ascii_only(f"</main>\n{script}\n</body>\n</html>\n")


def links(name: str, found: dict[str, str]) -> Html | str:
    """A navigation: addresses by what they are called."""
    items = [element("li", element("a", words, href=to)) for words, to in found.items()]
    return element("nav", element("ul", *items), aria_label=name) if items else ""


def ascii_only(text: str) -> str:
    """In ASCII, so that it reads the same in whatever encoding it is written or read."""
    return text.encode("ascii", "xmlcharrefreplace").decode()
