"""The documentation site: every link leads somewhere, every picture is there, and the search finds pages in a browser.

site.py FOLDER [BROWSER]; without a browser the search is not tested, which is said.
"""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    """Collects the links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def broken_links(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            if not target.exists():
                yield f"{path.name}: {link} leads nowhere"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{path.name}: {link} names no place of {target.name}"


def found(browser, site, words):
    """Returns the pages that the site's search lists."""
    page = f"{(site / 'search.html').resolve().as_uri()}?q={words}"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
               "--virtual-time-budget=8000", "--dump-dom", page]  # fmt: skip
    text = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    results = re.search(r'<ul[^>]* class="search".*', text, re.S)
    return set(re.findall(r'href="([a-z_A-Z]+)\.html', results[0])) if results else set()


def main(folder, browser=None):
    site = Path(folder)
    faults = list(broken_links(site))
    for name in ("index", "guide", "gallery", "python_api", "cpp_api"):
        if not (site / f"{name}.html").is_file():
            faults.append(f"there is no page {name}.html")
    pictures = len(list((site / "_images").glob("*.png")))
    if pictures < 7:
        faults.append(f"{pictures} pictures of the gallery: expected at least 7")
    if browser:
        for words, page in (("Baumgarte", "mechanics"), ("Saltelli", "scenario"), ("zzqqxx", None)):
            pages = found(browser, site, words)
            if page not in pages if page else pages:
                faults.append(f"the search for {words} finds {sorted(pages) or 'nothing'}: expected {page or 'nothing'}")
    else:
        print("SKIPPED: the search of the site, there is no browser")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
