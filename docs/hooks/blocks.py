"""Code blocks of the site: sessions of a shell and of Python, and what their copy buttons copy."""

import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: Rendered blocks without a language, as in docstrings.
DOCSTRING = re.compile(r'<div class="language-text highlight">\s*<pre><span></span><code>(.*?)</code></pre>', re.DOTALL)
#: Rendered sessions.
RENDERED = re.compile(r'<div class="([^"]*language-(console|pycon)[^"]*)">(\s*<pre.*?</pre>)', re.DOTALL)
OUTPUT = re.compile(r'<span class="go">(.*?)</span>', re.DOTALL)
PROMPTS = {"console": ("$ ", "> "), "pycon": (">>> ", "... ")}


def prepared(text):
    """The Markdown of a page, with sessions marked as such and without the signs that only the tests of pages read."""

    def block(found):
        language, lines = found[1], found[2].rstrip().split("\n")
        if language == "python":
            return f"```{'pycon' if lines[0].startswith('>>> ') else 'python'}\n" + "\n".join(lines) + "\n```"
        kept, code = [], None
        for line in lines:
            if line.startswith("$ ") and code:
                kept, code = [*kept, f"(exit code {code})"], None
            exits = re.fullmatch(r"\? (\S+)", line)
            if exits:
                code = exits[1]
            else:
                # What differs from run to run.
                kept.append(line.replace("[..]", "..."))
        if code:
            kept.append(f"(exit code {code})")
        return "```console\n" + "\n".join(kept) + "\n```"

    return BLOCK.sub(block, text)


def commands(session, language):
    """The lines to type in a session, without prompts and output."""
    first, more = PROMPTS[language]
    typed, continued = [], False
    for line in session.split("\n"):
        starts = line.startswith(first)
        continued = starts or continued and line.startswith(more.rstrip())
        if continued:
            typed.append(line[len(first if starts else more) :].rstrip())
    return "\n".join(typed).strip("\n")


def rendered(page):
    """The HTML of a page: the copy button of a session copies its commands, and rows of tables in its output do not wrap."""

    def docstring(found):
        text = html.unescape(re.sub(r"<[^>]*>", "", found[1]))
        if not text.startswith(">>> "):
            return found[0]
        lines = highlight(text, PythonConsoleLexer(), HtmlFormatter(nowrap=True))
        return f'<div class="language-pycon highlight"><pre><span></span><code>{lines}</code></pre>'

    def session(found):
        classes, language, body = found.groups()
        text = html.unescape(re.sub(r"<[^>]*>", "", body))
        copied = html.escape(commands(text, language)).replace("\n", "&#10;")
        if not copied:
            return found[0]
        if language == "console":
            body = OUTPUT.sub(row, body)
            classes += " tabular" if '"go row"' in body else ""
        return f'<div class="{classes}" data-copy="{copied}">{body}'

    def row(found):
        gaps = re.findall(r" {2,}", html.unescape(found[1]).strip())
        return f'<span class="go row">{found[1]}</span>' if len(gaps) > 1 else found[0]

    return RENDERED.sub(session, DOCSTRING.sub(docstring, page))
