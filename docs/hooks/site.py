"""Hooks of MkDocs. They generate pages from the proofs, the figures of papers, the schema of the vectors and the notebooks at each
build, and prepare code blocks and figures.
"""

import pathlib
import re
import sys
import tomllib

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import blocks  # noqa: E402
import figures  # noqa: E402
import formulas  # noqa: E402
import links  # noqa: E402
import notebooks  # noqa: E402
import schema  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: The files of MathJax that set formulas in AsciiMath as pictures, without fonts and without a network.
MATHJAX = ["startup.js", "core.js", "input/asciimath.js", "output/svg.js", "output/svg/fonts/tex.js"]

#: Pages of the repository that the site contains unchanged, except for links.
COPIES = {
    "README.md": "reference/readme.md",
    "vectors/FINDINGS.md": "findings.md",
    "vectors/README.md": "reference/vectors.md",
    "vectors/python/README.md": "reference/vectors-python.md",
    "python/README.md": "reference/python-package.md",
    "python/CLUSTER.md": "how-to/cluster.md",
    "adapters/README.md": "reference/adapters.md",
    "examples/census/README.md": "reference/census-files.md",
    "CHANGELOG.md": "reference/changes.md",
    "papers/README.md": "gallery/papers.md",
    "proofs/axioms.md": "proofs/axioms.md",
    "proofs/claims.md": "proofs/claims.md",
}

#: Pages that are seldom searched for.
BEHIND = ("gallery/", "proofs/", "reference/readme.md", "reference/changes.md")


def copies():
    """All copied pages: from their path in the repository to their path on the site."""
    found = dict(COPIES)
    for page in sorted(ROOT.glob("proofs/paper/*.md")) + sorted(ROOT.glob("proofs/upstream/*.md")):
        found[str(page.relative_to(ROOT))] = f"proofs/{page.name}"
    for page in sorted(ROOT.glob("papers/*/*.md")):
        found[str(page.relative_to(ROOT))] = f"gallery/{page.parent.name}-{page.name}"
    return found


def title(text):
    return next(line[2:] for line in text.splitlines() if line.startswith("# "))


def gallery():
    """The page of all figures, each with a link to its page."""
    lines = ["# Gallery", "", "Figures of papers, recomputed by dpcert. Every point of an exact curve is certified. Each picture links to"]
    lines += ["its page, which compares the computed numbers with those that the paper prints.", "", '<div class="gallery" markdown>']
    for figure in sorted(ROOT.glob("papers/*/*.svg")):
        name = f"{figure.parent.name}-{figure.stem}"
        caption = title(figure.with_suffix(".md").read_text())
        lines.append(f"[{figures.both(caption, name + '.svg')}<br>{figure.parent.name}: {caption}]({name}.md)")
        lines.append("")
    return "\n".join(lines + ["</div>", ""])


def fill(nav, name, entries):
    """Fill the empty section of this name."""
    for entry in nav:
        if isinstance(entry, dict):
            for key, value in entry.items():
                if key == name and value == []:
                    entry[key] = entries
                elif isinstance(value, list):
                    fill(value, name, entries)


def on_config(config):
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
    if package.get("repository"):
        config.repo_url, config.repo_name = package["repository"], package["name"]
    where = copies()
    proofs = [page for source, page in where.items() if source.startswith("proofs/paper")]
    papers = [page for source, page in where.items() if source.startswith("papers/") and source != "papers/README.md"]
    upstream = [page for source, page in where.items() if source.startswith("proofs/upstream")]
    fill(config.nav, "Proofs", ["proofs/axioms.md", "proofs/claims.md", *proofs, *upstream])
    fill(config.nav, "Gallery", ["gallery/index.md", "gallery/papers.md", *papers])
    fill(config.nav, "Notebooks", notebooks.names())
    return config


def on_files(files, config):
    def add(name, text):
        files.append(File.generated(config, name, content=text))

    where = copies()
    for source, page in where.items():
        text = links.rewritten((ROOT / source).read_text(), source, page, where)
        # Search ranks guides and reference before these pages.
        rank = "---\nsearch:\n  boost: 0.5\n---\n\n" if page.startswith(BEHIND) else ""
        add(page, rank + text)
    for figure in sorted(ROOT.glob("papers/*/*.svg")):
        add(f"gallery/{figure.parent.name}-{figure.stem}-dark.svg", figures.dark(figure.read_text()))
    for file in sorted(ROOT.glob("papers/*/*")):
        if file.suffix in links.FIGURE_FILES:
            add(f"gallery/{file.parent.name}-{file.name}", file.read_bytes())
    add("gallery/index.md", gallery())
    add("reference/schema.md", schema.schema(ROOT))
    add("vectors.schema.json", (ROOT / "vectors/schema.json").read_text())
    for name, text in notebooks.pages().items():
        add(name, text)
    import mathjax

    here = pathlib.Path(mathjax.__file__).parent / "static/mathjax/es5"
    for name in MATHJAX:
        files.append(File.generated(config, f"assets/mathjax/{name}", abs_src_path=str(here / name),
                                    inclusion=InclusionLevel.INCLUDED))
    return files


def on_page_markdown(markdown, page, config, files):
    source = f"docs/pages/{page.file.src_uri}"
    if (ROOT / source).exists():
        markdown = links.pictures(markdown, source, page.file.src_uri)
    return blocks.prepared(markdown)


def on_page_content(html, page, config, files):
    html = blocks.rendered(html)
    if page.file.src_uri.startswith("proofs/"):
        html = formulas.rendered(html)
    # Roles of reStructuredText in docstrings.
    html = re.sub(r":(?:class|func|meth|mod|data|exc):(?=<code>)", "", html)
    # On a narrow screen a table scrolls, not the page.
    return re.sub(r"(<table>.*?</table>)", r'<div class="wide">\1</div>', html, flags=re.DOTALL)
