"""Markdown as the report's HTML: the part of it that the guide is written in. What stands between
tags is escaped as everywhere, markup in a page is left out, and so is every link that would leave
the site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from dpaudit.report.page.markup import Html, cell, element, joined, scrolling

PLAIN = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "strong": "strong",
    "em": "em",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "hr": "hr",
}
"""Nodes that are an element and nothing else."""
SIMPLE = ("root", "inline")
"""Nodes that are what they hold."""
LEFT_OUT = ("html_block", "html_inline", "image")


def slug(heading: str, seen: Counter[str]) -> str:
    """A heading's id, as code hosts make it; a number tells those apart that are alike."""
    found = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    seen[found] += 1
    return found if seen[found] == 1 else f"{found}-{seen[found] - 1}"


def parsed(text: str) -> SyntaxTreeNode:
    """The tree of a page."""
    return SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))


def headings(text: str) -> dict[str, str]:
    """What the headings of a page say, by their ids."""
    found = [node.children[0].content for node in parsed(text).children if node.type == "heading"]
    seen: Counter[str] = Counter()
    return {slug(words, seen): words.replace("`", "") for words in found}


def rendered(text: str, address: Callable[[str], str | None]) -> Html:
    """A page without its title; `address` says where a link leads, None for a link that is left."""
    return Rendering(address).whole(text)


class Rendering:
    """One page on its way; a table is called as the heading above it."""

    def __init__(self, address: Callable[[str], str | None]) -> None:
        self.address, self.heading = address, "Table"
        self.tables = 0
        self.seen: Counter[str] = Counter()
        self.columns: list[str] = []

    def whole(self, text: str) -> Html:
        shown = [(node, self.node(node)) for node in parsed(text).children]
        return joined(part for node, part in shown if node.tag != "h1")

    def inside(self, node: SyntaxTreeNode) -> Html:
        return joined(self.node(child) for child in node.children)

    def node(self, node: SyntaxTreeNode) -> Html | str:
        kind = node.type
        if kind in SIMPLE or (kind == "paragraph" and node.hidden):
            return self.inside(node)
        if kind in PLAIN:
            return element(PLAIN[kind], self.inside(node))
        if kind in LEFT_OUT:
            return ""
        if kind == "link":
            return self.link(node)
        if kind == "heading":
            return self.title(node)
        return self.table(node) if kind == "table" else self.leaf(node)

    def link(self, node: SyntaxTreeNode) -> Html:
        to = self.address(str(node.attrs["href"]))
        return self.inside(node) if to is None else element("a", self.inside(node), href=to)

    def title(self, node: SyntaxTreeNode) -> Html:
        words = node.children[0].content
        self.heading = words.replace("`", "")
        return element(node.tag, self.inside(node), id=slug(words, self.seen))

    def table(self, node: SyntaxTreeNode) -> Html:
        self.tables += 1
        self.columns = [str(self.inside(cell)) for cell in node.children[0].children[0].children]
        self.columns = [re.sub("<[^>]*>", "", name) for name in self.columns]
        ident = f"table-{self.tables}"
        return scrolling(self.heading, self.inside(node), ident=ident, class_="stack")

    def leaf(self, node: SyntaxTreeNode) -> Html | str:
        match node.type:
            case "text":
                return node.content
            case "code_inline":
                return element("code", node.content)
            case "softbreak" | "hardbreak":
                return " "
            case "fence" | "code_block":  # which scrolls by itself
                return element("pre", element("code", node.content), tabindex="0")
            case "td" if node.previous_sibling is None:
                return element("th", self.inside(node), scope="row")
            case "td":
                assert node.parent is not None
                name = self.columns[node.parent.children.index(node)]
                return cell(name, self.inside(node))
            case "th":
                return element("th", self.inside(node), scope="col")
        raise ValueError(f"no page of the guide has a {node.type}")
