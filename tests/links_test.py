"""Links of the documentation: each relative link of a Markdown page resolves, and so does its anchor."""

import os
import re
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LOADSHARE_SOURCE", Path(__file__).parent.parent))
LINK = re.compile(r"\]\(([^()\s]+)\)")


def prose(markdown):
    """The text without code blocks, whose brackets are no links."""
    return re.sub(r"^```.*?^```", "", markdown, flags=re.MULTILINE | re.DOTALL)


def anchors(markdown):
    """Anchors of the headings, as GitHub makes them; of equal headings the second one gets `-1`, and so on."""
    seen = {}
    for heading in re.findall(r"^#+ +(.+?)\s*$", prose(markdown), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        yield slug if seen[slug] == 0 else f"{slug}-{seen[slug]}"


def broken_links(page):
    """Each link of a page that leads nowhere, with the reason. Links to other sites are not followed."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", prose(text))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor:
            target = target / "README.md" if target.is_dir() else target  # GitHub shows a folder's README
            if not target.exists() or anchor not in anchors(target.read_text(encoding="utf-8")):
                yield f"{link}: no such heading"


def pages(root):
    """The project's pages: neither those of build folders nor those of hidden ones."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        yield from (Path(folder, name) for name in files if name.endswith(".md"))


class Links(unittest.TestCase):
    def test_every_link_of_the_documentation_resolves(self):
        found = sorted(pages(SOURCE))
        self.assertGreater(len(found), 30)
        for page in found:
            with self.subTest(page=str(page.relative_to(SOURCE))):
                self.assertEqual(list(broken_links(page)), [])

    def test_a_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            page, other = Path(scratch, "page.md"), Path(scratch, "other.md")
            other.write_text("# `One`, two\n## Same\n## Same\n```sh\n# no heading\n```\n")
            page.write_text("# Here\n[a](other.md#one-two) [b](other.md#same-1) [c](#here) [d](https://example.org/x)\n"
                            "`[e](f)` [g](missing.md) [h](other.md#no-heading) [i](#there)\n```sh\n[j](k)\n```\n")
            self.assertEqual(list(broken_links(page)), ["missing.md: no such file", "other.md#no-heading: no such heading",
                                                        "#there: no such heading"])


if __name__ == "__main__":
    unittest.main()
