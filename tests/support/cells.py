"""What is in the HTML of a notebook's cell, and whether it is well formed."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"br", "input", "hr", "img", "meta", "link"}
INLINE = {"span", "b", "code"}


class Cell(HTMLParser):
    """The elements of a cell; what is not closed, or closed but not open, is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.open: list[tuple[str, dict]] = []
        self.elements: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.styles: list[str] = []
        self.programs: list[str] = []
        self.rows: list[str] = []  # the text of each item
        self.deepest = 0
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        if tag in ("div", "details", "table", "p", "ul"):
            assert not any(name in INLINE | {"p", "summary"} for name, _ in self.open), (tag, self.open)
        self.elements.append((tag, dict(attrs)))
        if self._is_item(dict(attrs)):
            self.rows.append("")
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))
            self.deepest = max(self.deepest, len(self.open))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}>"
        name, _ = self.open.pop()
        assert name == tag, f"</{tag}> in {name}"

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "style":
            self.styles.append(data)
        elif self.open and self.open[-1][0] == "script":
            self.programs.append(data)
        else:
            self.texts.append(data)
            if any(self._is_item(attributes) for _, attributes in self.open):
                self.rows[-1] += data

    def _is_item(self, attributes):
        return "ctree-item" in (attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def having(self, name: str, **attributes) -> list[dict]:
        """The attributes of all elements of a name that have these attributes."""
        wanted = attributes.items()
        return [a for tag, a in self.elements if tag == name and all(a.get(key) == value for key, value in wanted)]


def rules_of(style: str) -> list[str]:
    """The selectors of a style, those in an @media rule too."""
    depth, selectors, current = 0, [], ""
    for sign in style:
        if sign == "{":
            if current.strip().startswith("@media"):
                current = ""
                continue
            if depth == 0:
                selectors += [part.strip() for part in current.split(",")]
            depth += 1
            current = ""
        elif sign == "}":
            depth = max(0, depth - 1)
            current = ""
        else:
            current += sign
    return selectors
