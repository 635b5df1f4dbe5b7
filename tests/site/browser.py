"""The site in a headless browser: every page, wide and narrow, light and dark, opened as a file. Nothing is asked of a network,
no page is wider than its window, no link is dead, formulas are set, and search finds.

Started by scripts/site_test.sh.
"""

import json
import os
import pathlib
import unittest
import urllib.parse

from headless import OUT, browser
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = pathlib.Path(os.environ["SITE"]).resolve()
WINDOWS = {"wide": (1440, 1000), "narrow": (380, 800)}
SCHEMES = {"light": "default", "dark": "slate"}
#: Of these there are pictures: the others are more of the same kind.
SHOWN = ["index", "start/engineer", "start/auditor", "explanation/audits", "proofs/gaussian", "proofs/kov", "gallery/index", "findings",
         "reference/commands", "reference/python", "reference/mechanisms", "how-to/install", "notebooks/trade-off-functions", "notebooks/unsound-accountant"]

LOOK = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const links = [...document.querySelectorAll("a[href], img[src], link[href], script[src]")].map((e) => e.href || e.src);
const bad = [...document.querySelectorAll("[data-mml-node=merror], mjx-merror")].map((e) => e.textContent.slice(0, 80));
const raw = [...document.querySelectorAll(".formula")].filter((e) => !e.querySelector("mjx-container")).map((e) => e.title);
const broken = [...document.images].filter((e) => e.complete && !e.naturalWidth).map((e) => e.src);
// Text against the ground behind it, as WCAG 2 has contrast.
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
return { wide, faint, links, bad, raw, broken, ids: [...document.querySelectorAll("[id]")].map((e) => e.id), title: document.title };
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
        # Colours change at once, so that each look sees those of its scheme.
        self.driver.execute_script(
            "const style = document.createElement('style'); style.textContent = '* { transition: none !important }';"
            "document.head.append(style)")

    def window(self, width, height):
        """A window of this size: the page is not loaded again for it."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def scheme(self, name):
        """As somebody has it who likes it light, or dark."""
        self.driver.execute_script("document.body.setAttribute('data-md-color-scheme', arguments[0])", name)

    def requests(self):
        """What was asked for that is no file of the site."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append(url)
        return found

    def test_every_page_as_it_is_seen(self):
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
                    self.assertEqual(look["faint"], [], f"{name}, {scheme}: text that can hardly be told from its ground")
                    if name in SHOWN:
                        self.picture(f"{name.replace('/', '-')}-{window}-{scheme}.png")
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

    def test_search_finds(self):
        self.window(*WINDOWS["wide"])
        self.open(SITE / "index.html")
        for word, wanted in [("calibrate", "how-to/calibrate.html"), ("Kummer", "proofs/error-function.html")]:
            box = self.driver.find_element(By.CSS_SELECTOR, "input[name=query]")
            box.click()
            box.clear()
            box.send_keys(word)
            WebDriverWait(self.driver, 30).until(
                lambda driver: any(wanted in (link.get_attribute("href") or "")
                                   for link in driver.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")),
                f"search for {word}",
            )


if __name__ == "__main__":
    unittest.main(verbosity=2)
