"""Links of pages that are shown elsewhere than where they are written."""

import posixpath
import re

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def rewritten(text, source, page, where):
    """The page's text with links to other pages of the site where there are such pages; to other files of the repository
    none is left, for they are not on the site: what was linked then stands there as it is."""

    def link(found):
        picture, shown, target = found.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return found[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if file in where:
            to = posixpath.relpath(where[file], posixpath.dirname(page))
            return f"{picture}[{shown}]({to}{'#' + anchor if anchor else ''})"
        if file.endswith(".svg") and file.startswith("papers/"):
            to = posixpath.relpath("gallery/" + "-".join(file.split("/")[1:]), posixpath.dirname(page))
            return f"{picture}[{shown}]({to})"
        if file == "proofs/paper":
            return f"[{shown}]({posixpath.relpath(where['proofs/axioms.md'], posixpath.dirname(page))})"
        return shown

    # Not in blocks of code.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
