"""Links of pages that are copied from the repository to the site."""

import posixpath
import re

import figures

#: Suffixes of files of figures and tables that are on the site.
FIGURE_FILES = (".svg", ".pdf", ".csv", ".tex", ".toml")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def rewritten(text, source, page, where):
    """The text of a page with its links adapted to the site. A link to a file that is not on the site becomes plain text."""

    def link(found):
        picture, shown, target = found.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return found[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if file in where:
            to = posixpath.relpath(where[file], posixpath.dirname(page))
            return f"{picture}[{shown}]({to}{'#' + anchor if anchor else ''})"
        if file.startswith("docs/pages/") and file.endswith(".md"):
            to = posixpath.relpath(file.removeprefix("docs/pages/"), posixpath.dirname(page))
            return f"{picture}[{shown}]({to}{'#' + anchor if anchor else ''})"
        if file.endswith(FIGURE_FILES) and file.startswith("papers/"):
            to = posixpath.relpath("gallery/" + "-".join(file.split("/")[1:]), posixpath.dirname(page))
            return figures.both(shown, to) if picture else f"[{shown}]({to})"
        if file == "proofs/paper":
            return f"[{shown}]({posixpath.relpath(where['proofs/axioms.md'], posixpath.dirname(page))})"
        return shown

    # Code blocks stay as they are.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def pictures(text, source, page):
    """The text of a page with pictures of `papers/` in both colour schemes."""

    def picture(found):
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[2]))
        return figures.both(found[1], posixpath.relpath("gallery/" + "-".join(file.split("/")[1:]), posixpath.dirname(page)))

    return re.sub(r"!\[([^\]]*)\]\(([./]+papers/[^)]*\.svg)\)", picture, text)
