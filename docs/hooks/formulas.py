"""Formulas of the proof pages: typed as plain text, converted to AsciiMath and set by MathJax.

Names of files, functions and options stay code. The typed text stays available as the title of each formula.
"""

import html
import re

from bs4 import BeautifulSoup

GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
GREEK = set(GREEK.split()) | {word.capitalize() for word in GREEK.split()}
#: Names that AsciiMath knows, and abbreviations used in the proofs.
KNOWN = GREEK | set("sum prod int oo ln log exp sin cos tan tanh sinh cosh max min lim sqrt floor ceil gcd lcm mod dim det "
                    "cdot cup cap sub sube in and or if xx hat bar tilde to".split())
SHORT = {"eps": "epsilon", "inf": "\"inf\"", "infinity": "oo", "Gamma": "Gamma", "sup": "\"sup\"", "not": "\"not \"",
         "integral": "int", "prob": "Pr"}
CODE = re.compile(r"::|\.(rs|md|py|json|toml|csv)\b|\b(src|enclosure|proofs|vectors|papers|tests)/|--[a-z]|[a-z]{2,}_[a-z]{2,}"
                  r"|\bmpfr|dpcert|u32|u64|f64|i64|Undecided|Undefined|\(\)")
OPERATORS = re.compile(r"[=<>^+*/|{}\[\]]|_\{?\w|\w\(|\\|\d|\s-\s")


def is_formula(text):
    """Whether the text is a formula rather than code."""
    if CODE.search(text):
        return False
    word = re.fullmatch(r"-?[A-Za-z]'*(_\w+)?", text)
    return bool(word or text in GREEK or text in SHORT or OPERATORS.search(text) and not re.search(r"[;\"#@$]", text))


#: An applied function: its name with sub- and superscripts, and the opening parenthesis.
APPLIED = re.compile(r"[A-Za-z]+'*(?:_\{[^{}]*\}|_\w+)?(?:\^\{[^{}]*\}|\^-?\w+)?\(")


def grouped(text):
    """Group each function with its argument. AsciiMath would read `f(x)/y` as f times x/y."""
    found = APPLIED.search(text)
    if not found:
        return text
    depth, end = 0, None
    for at in range(found.end() - 1, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            end = at
            break
    if end is None:
        # The argument continues in the next line.
        return text[: found.end()] + grouped(text[found.end() :])
    inside = grouped(text[found.end() : end])
    return f"{text[: found.start()]}{{:{found[0]}{inside}):}}{grouped(text[end + 1 :])}"


def ascii_math(text):
    """Convert to AsciiMath. Words that are no symbols become text."""
    text = grouped(re.sub(r"\blog2\b", "log_2", text))

    def word(found):
        name = found[0]
        if name in SHORT:
            return SHORT[name]
        if name in KNOWN or len(name) == 1 or re.fullmatch(r"d[A-Za-z]", name):
            return name
        return f'"{name}"' if found.start() and text[found.start() - 1] in "_^{(" else f'" {name} "'

    text = re.sub(r"[A-Za-z]{2,}", word, text)
    # Vertical bars are ambiguous (absolute value, norm, divides) and stay as they are.
    return text.replace("...", "ldots").replace("`", "'")


def formula(soup, text, block):
    tag = soup.new_tag("span", attrs={"class": "formula block" if block else "formula", "title": text.strip()})
    tag.string = f"`{ascii_math(text.strip())}`"
    return tag


def rendered(page):
    """The page with its formulas marked for MathJax."""
    soup = BeautifulSoup(page, "html.parser")
    for block in soup.find_all("div", class_="highlight"):
        if any(name.startswith("language-") and name != "language-text" for name in block.get("class", [])):
            continue
        text = html.unescape(block.get_text())
        lines = [line for line in text.split("\n") if line.strip()]
        if not lines or CODE.search(text) or not any(OPERATORS.search(line) for line in lines):
            continue
        box = soup.new_tag("div", attrs={"class": "formulas"})
        for line in lines:
            # Three blanks separate a remark from its formula.
            pieces = [piece for piece in re.split(r"\s{3,}", line.strip()) if piece]
            row = soup.new_tag("div")
            for piece in pieces:
                words = re.fullmatch(r"\(?[A-Za-z ,.:]+\)?", piece) and len(piece) > 3 and piece not in KNOWN
                if words:
                    note = soup.new_tag("span", attrs={"class": "note"})
                    note.string = piece
                    row.append(note)
                else:
                    row.append(formula(soup, piece, True))
            box.append(row)
        block.replace_with(box)
    for code in soup.find_all("code"):
        if code.parent.name != "pre" and is_formula(code.get_text()):
            code.replace_with(formula(soup, code.get_text(), False))
    return str(soup)
