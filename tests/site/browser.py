"""Test the site in a headless browser: every page, wide and narrow, light and dark, opened as a file.

No page uses the network or is wider than its window, no link is dead, formulas are set, search finds what readers type, and copy
buttons copy commands only. Started by scripts/site_test.sh.
"""

import html
import json
import os
import pathlib
import re
import unittest
import urllib.parse

from headless import OUT, browser
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = pathlib.Path(os.environ["SITE"]).resolve()
WINDOWS = {"wide": (1280, 900), "narrow": (380, 800)}
SCHEMES = {"light": "default", "dark": "slate"}
#: Pages whose screenshots are kept.
SHOWN = ["index", "start/engineer", "start/researcher", "explanation/when-not", "reference/glossary", "reference/cite", "how-to/training", "start/auditor", "explanation/audits", "proofs/gaussian", "proofs/kov", "gallery/index",
         "findings",
         "reference/commands", "reference/python", "reference/mechanisms", "how-to/install", "notebooks/trade-off-functions",
         "notebooks/unsound-accountant"]
#: What readers type, and pages of which one must be among the first results.
SEARCHES = {
    "calibrate": ["how-to/calibrate.html"],
    "install": ["how-to/install.html"],
    "noise multiplier": ["reference/glossary.html", "how-to/calibrate.html"],
    "jax": ["how-to/training.html"],
    "opacus": ["how-to/training.html"],
    "cite": ["reference/cite.html"],
    "bibtex": ["reference/cite.html"],
    "sample without replacement": ["reference/glossary.html"],
    "dp-sgd": ["start/engineer.html", "reference/mechanisms.html"],
    "moments accountant": ["reference/glossary.html"],
    "membership inference": ["reference/glossary.html"],
    "sampling rate": ["reference/glossary.html"],
    "randomized response": ["reference/mechanisms.html"],
    "PLD": ["reference/glossary.html"],
    "k-anonymity": ["explanation/when-not.html"],
    "limitations": ["explanation/when-not.html"],
    "Kummer": ["proofs/error-function.html"],
}
#: How many results a reader looks at.
FIRST = 4

LOOK = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const links = [...document.querySelectorAll("a[href], img[src], link[href], script[src]")].map((e) => e.href || e.src);
const bad = [...document.querySelectorAll("[data-mml-node=merror], mjx-merror")].map((e) => e.textContent.slice(0, 80));
const raw = [...document.querySelectorAll(".formula")].filter((e) => !e.querySelector("mjx-container")).map((e) => e.title);
const broken = [...document.images].filter((e) => e.complete && !e.naturalWidth).map((e) => e.src);
// Contrast of text and background, as defined by WCAG 2.
const channels = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const colour = channels(getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] > 0.99) return colour;
  }
  return [255, 255, 255];
};
const faint = [...document.querySelectorAll(".md-content p, .md-content li, .md-content td, .md-content h1, .md-content code")]
  .slice(0, 200).filter((e) => e.textContent.trim() && e.getClientRects().length).filter((e) => {
    const [a, b] = [light(channels(getComputedStyle(e).color)), light(ground(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 3;
  }).map((e) => e.textContent.trim().slice(0, 40));
// Sessions of Python wrap, and their output is not highlighted as code.
const cut = [...document.querySelectorAll(".language-pycon code")].filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => e.textContent.slice(0, 40));
const coloured = [...document.querySelectorAll(".language-python code")].filter((e) => e.textContent.startsWith(">>>"))
  .map((e) => e.textContent.slice(0, 40));
// Figures have the background of the colour scheme.
const dark = document.body.getAttribute("data-md-color-scheme") === "slate";
const figures = [...document.querySelectorAll("img[src*='.svg']")]
  .filter((e) => e.getClientRects().length && /-dark\.svg/.test(e.src) !== dark).map((e) => e.src);
return { wide, faint, cut, coloured, figures, links, bad, raw, broken, ids: [...document.querySelectorAll("[id]")].map((e) => e.id), title: document.title };
"""


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = sorted(page for page in SITE.rglob("*.html") if page.name != "404.html")
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, page):
        self.driver.get(page.as_uri())
        WebDriverWait(self.driver, 60).until(
            lambda driver: driver.execute_script(
                "return document.readyState === 'complete' && (!document.querySelector('.formula') || "
                "(window.MathJax && MathJax.startup && MathJax.startup.promise && "
                "[...document.querySelectorAll('.formula')].every((e) => e.querySelector('mjx-container'))))"
            ),
            f"formulas of {page}",
        )
        # Without transitions, so that each check sees the final colours.
        self.driver.execute_script(
            "const style = document.createElement('style'); style.textContent = '* { transition: none !important }';"
            "document.head.append(style)")

    def window(self, width, height):
        """Resize the window without loading the page again."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def scheme(self, name):
        """Select a colour scheme."""
        self.driver.execute_script("document.body.setAttribute('data-md-color-scheme', arguments[0])", name)

    def requests(self):
        """Requests for anything but files of the site."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append(url)
        return found

    def test_every_page_in_all_windows_and_schemes(self):
        self.assertGreater(len(self.pages), 60)
        targets, ids = {}, {}
        for page in self.pages:
            name = page.relative_to(SITE).with_suffix("").as_posix()
            self.window(*WINDOWS["wide"])
            self.open(page)
            for window, size in WINDOWS.items():
                self.window(*size)
                for scheme, value in SCHEMES.items():
                    self.scheme(value)
                    look = self.driver.execute_script(LOOK)
                    self.assertLessEqual(look["wide"], 1, f"{name} is wider than its {window} window")
                    self.assertEqual(look["faint"], [], f"{name}, {scheme}: low contrast")
                    self.assertEqual(look["cut"], [], f"{name}, {window}: sessions are cut off")
                    self.assertEqual(look["figures"], [], f"{name}, {scheme}: figures of the other scheme")
                    if name in SHOWN:
                        self.picture(f"{name.replace('/', '-')}-{window}-{scheme}.png")
            self.assertEqual(look["coloured"], [], f"{name}: output highlighted as code")
            self.assertEqual(look["bad"], [], f"formulas of {name}")
            self.assertEqual(look["raw"], [], f"formulas of {name}")
            self.assertEqual(look["broken"], [], f"pictures of {name}")
            faults = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
            self.assertEqual(faults, [], name)
            targets[page], ids[page] = look["links"], set(look["ids"])
        self.assertEqual(self.requests(), [])
        self.links(targets, ids)

    def picture(self, name):
        self.driver.save_screenshot(str(OUT / name))

    def links(self, targets, ids):
        dead = []
        for page, links in targets.items():
            for link in links:
                url = urllib.parse.urlsplit(link)
                if url.scheme != "file":
                    continue
                path = pathlib.Path(urllib.parse.unquote(url.path))
                anchor = urllib.parse.unquote(url.fragment)
                if not path.is_file() or not path.is_relative_to(SITE):
                    dead.append(f"{page.name}: {link}")
                elif anchor and not anchor.startswith("__") and path in ids and anchor not in ids[path]:
                    dead.append(f"{page.name}: {link}")
        self.assertEqual(dead, [])

    def test_search_finds_what_readers_type(self):
        self.window(*WINDOWS["wide"])
        self.open(SITE / "index.html")
        missed = []
        for words, wanted in SEARCHES.items():
            box = self.driver.find_element(By.CSS_SELECTOR, "input[name=query]")
            box.click()
            box.clear()
            box.send_keys(words)
            try:
                WebDriverWait(self.driver, 20).until(lambda _: set(wanted) & set(self.results()))
            except TimeoutException:
                missed.append(f"{words}: {self.results()}")
        self.assertEqual(missed, [])

    def results(self):
        """The first pages that the search shows."""
        links = self.driver.execute_script(
            "return [...document.querySelectorAll('.md-search-result__item > a.md-search-result__link')].map((e) => e.href)")
        paths = [urllib.parse.unquote(urllib.parse.urlsplit(link).path) for link in links]
        pages = [path.partition(SITE.as_posix() + "/")[2] for path in paths]
        return list(dict.fromkeys(pages))[:FIRST]

    def test_copy_button_copies_commands_only(self):
        self.window(*WINDOWS["wide"])
        for name, first in [("start/auditor", "console"), ("how-to/training", "pycon")]:
            self.open(SITE / f"{name}.html")
            self.driver.execute_cdp_cmd("Browser.grantPermissions",
                                        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
            block = self.driver.find_element(By.CSS_SELECTOR, f".language-{first}")
            shown = block.find_element(By.CSS_SELECTOR, "code").text
            self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", block)
            WebDriverWait(self.driver, 20).until(lambda _: block.find_elements(By.CSS_SELECTOR, "button[data-md-type=copy], .md-clipboard"))
            block.find_element(By.CSS_SELECTOR, "button[data-md-type=copy], .md-clipboard").click()
            copied = self.driver.execute_async_script(
                "const done = arguments[0]; setTimeout(() => navigator.clipboard.readText().then(done, (e) => done(`fault: ${e}`)), 300)")
            prompt = {"console": "$ ", "pycon": ">>> "}[first]
            typed = [line.removeprefix(prompt) for line in shown.splitlines() if line.startswith(prompt)]
            self.assertEqual(copied.splitlines(), typed, name)
            self.assertGreater(len(shown.splitlines()), len(typed), f"{name} shows output")

    def test_copied_text_of_every_session_has_no_prompt_and_no_output(self):
        sessions = 0
        for page in self.pages:
            for copied in re.findall(r'data-copy="([^"]*)"', page.read_text(encoding="utf-8")):
                sessions += 1
                self.assertNotRegex(html.unescape(copied), r"(?m)^(\$|>>>|\.\.\.)( |$)", page.name)
        self.assertGreater(sessions, 50)

    def test_install_comes_first_and_pages_link_to_their_neighbours(self):
        self.window(*WINDOWS["wide"])
        self.open(SITE / "index.html")
        tabs = [link.text for link in self.driver.find_elements(By.CSS_SELECTOR, ".md-tabs__link")]
        self.assertEqual(tabs[:2], ["Home", "Get started"])
        following = self.driver.find_element(By.CSS_SELECTOR, ".md-footer__link--next").get_attribute("href")
        self.assertTrue(following.endswith("how-to/install.html"), following)
        cards = self.driver.find_elements(By.CSS_SELECTOR, ".grid.cards li a")
        self.assertEqual(len(cards), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
