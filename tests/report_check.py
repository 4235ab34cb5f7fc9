#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a folder of `bench report` whole, closed in itself, and made for everybody?

    tests/report_check.py FOLDER

Every link, script, style and image leads to a file of the folder, every #fragment to an id of it, and every page can be reached
from index.html. Each page has a content security policy that allows nothing from elsewhere, and nothing that it would forbid;
elements that are closed in order, ids that stand there once, a language, a title and a heading, and a name for each control and
each chart. Prints what is wrong, a line each; exit status 1 if something is.
"""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

VOID = {"meta", "link", "input", "br", "hr", "img", "col", "wbr"}
LEADS = {"href", "src"}
KINDS = {"index", "suite", "metric", "run", "comparison", "device"}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.wrong, self.links, self.ids = path, [], [], set()
        self.open, self.seen, self.names_needed, self.policy = [], set(), [], ""
        self.unnamed = None  # a button or link whose text is yet to come
        with open(path, encoding="utf-8") as text:
            self.feed(text.read())
        self.close()
        self.finish()

    def complain(self, what):
        self.wrong.append(f"{self.path}:{self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        # In SVG, any element may end in itself; then handle_startendtag alone is called.
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        attributes = dict(attrs)
        self.seen.add(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.complain(f"<{tag} {name}>: the policy forbids it")
            elif name in LEADS:
                self.links.append((self.getpos()[0], value or ""))
            elif name == "id":
                if value in self.ids:
                    self.complain(f"id '{value}' stands there twice")
                self.ids.add(value)
        if tag == "style" or (tag == "script" and "src" not in attributes):
            self.complain(f"<{tag}> in the page: the policy forbids it")
        if tag == "meta" and attributes.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = attributes.get("content", "")
        if tag == "html" and not attributes.get("lang"):
            self.complain("<html> has no lang")
        if tag == "body" and attributes.get("data-page") not in KINDS:
            self.complain(f"data-page '{attributes.get('data-page')}' is none of {', '.join(sorted(KINDS))}")
        self.look_for_name(tag, attributes)

    def look_for_name(self, tag, attributes):
        labels = attributes.get("aria-labelledby", "").split()
        self.names_needed += [(self.getpos()[0], label) for label in labels]
        if labels or attributes.get("aria-label"):
            return
        if attributes.get("role") == "img" or tag in ("input", "select"):
            self.complain(f"<{tag}> has no name (aria-label, aria-labelledby)")
        elif tag == "img" and "alt" not in attributes:
            self.complain("<img> has no alt")
        elif tag in ("button", "a") and attributes.get("id") != "theme":
            self.unnamed = (tag, "")

    def handle_data(self, data):
        if self.unnamed:
            self.unnamed = (self.unnamed[0], self.unnamed[1] + data.strip())

    def handle_endtag(self, tag):
        if self.unnamed and self.unnamed[0] == tag:
            if not self.unnamed[1]:
                self.complain(f"<{tag}> has no text")
            self.unnamed = None
        if not self.open or self.open[-1] != tag:
            self.complain(f"</{tag}> closes {self.open[-1] if self.open else 'nothing'}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def finish(self):
        if self.open:
            self.complain(f"<{self.open[-1]}> is not closed")
        for tag in ("title", "h1", "main", "nav"):
            if tag not in self.seen:
                self.complain(f"has no <{tag}>")
        if "default-src 'none'" not in self.policy or "http" in self.policy or "unsafe" in self.policy or "*" in self.policy:
            self.complain(f"has the content security policy '{self.policy}'")
        for line, label in self.names_needed:
            if label not in self.ids:
                self.wrong.append(f"{self.path}:{line}: aria-labelledby names '{label}', which is no id")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report_check.py FOLDER")
    folder = os.path.realpath(sys.argv[1])
    files = {os.path.join(at, name) for at, _, names in os.walk(folder) for name in names}
    pages = {path: Page(path) for path in files if path.endswith(".html")}
    wrong = [line for page in pages.values() for line in page.wrong]
    leads = {}
    for path, page in pages.items():
        leads[path] = set()
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                wrong.append(f"{path}:{line}: '{link}' leads out of the folder")
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            leads[path].add(target)
            if target not in files:
                wrong.append(f"{path}:{line}: '{link}' leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.append(f"{path}:{line}: '{link}': the page has no such id")
    start = os.path.join(folder, "index.html")
    reached, todo = set(), [start]
    while todo:
        path = todo.pop()
        if path not in reached:
            reached.add(path)
            todo += leads.get(path, ())
    wrong += [f"{path}: no page leads here from index.html" for path in sorted(set(pages) - reached)]
    if start not in pages:
        wrong.append(f"{folder}: there is no index.html")
    print("\n".join(line.replace(folder + "/", "") for line in sorted(wrong)) or f"{len(pages)} pages: all is well")
    sys.exit(bool(wrong))


main()
