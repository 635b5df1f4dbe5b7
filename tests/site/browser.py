"""The site in a headless browser: every page, wide and narrow, light and dark, opened as a file. Nothing is asked of a network,
no page is wider than its window, no link is dead, formulas are set, and search finds.

Started by scripts/site_test.sh.
"""

import json
import os
import pathlib
import time
import unittest
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = pathlib.Path(os.environ["SITE"]).resolve()
OUT = pathlib.Path(os.environ["OUT"]).resolve()
WINDOWS = {"wide": (1440, 1000), "narrow": (380, 800)}
SCHEMES = {"light": "default", "dark": "slate"}
#: Of these there are pictures: the others are more of the same kind.
SHOWN = ["index", "start/engineer", "start/auditor", "explanation/audits", "proofs/gaussian", "proofs/kov", "gallery/index", "findings",
         "reference/commands", "reference/python", "reference/mechanisms", "how-to/install"]

LOOK = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const links = [...document.querySelectorAll("a[href], img[src], link[href], script[src]")].map((e) => e.href || e.src);
const bad = [...document.querySelectorAll("[data-mml-node=merror], mjx-merror")].map((e) => e.textContent.slice(0, 80));
const raw = [...document.querySelectorAll(".formula")].filter((e) => !e.querySelector("mjx-container")).map((e) => e.title);
const broken = [...document.images].filter((e) => e.complete && !e.naturalWidth).map((e) => e.src);
return { wide, links, bad, raw, broken, ids: [...document.querySelectorAll("[id]")].map((e) => e.id), title: document.title };
"""


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(os.environ["CHROMEDRIVER"]))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = sorted(page for page in SITE.rglob("*.html") if page.name != "404.html")
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, page, scheme="default"):
        self.driver.get(page.as_uri())
        dark = json.dumps({"index": 1 if scheme == "slate" else 0,
                           "color": {"media": "", "scheme": scheme, "primary": "indigo", "accent": "indigo"}})
        self.driver.execute_script("document.body.setAttribute('data-md-color-scheme', arguments[0])", json.loads(dark)["color"]["scheme"])
        WebDriverWait(self.driver, 60).until(
            lambda driver: driver.execute_script(
                "return document.readyState === 'complete' && (!document.querySelector('.formula') || "
                "(window.MathJax && MathJax.startup && MathJax.startup.promise && "
                "[...document.querySelectorAll('.formula')].every((e) => e.querySelector('mjx-container'))))"
            ),
            f"formulas of {page}",
        )

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
            self.driver.set_window_size(*WINDOWS["wide"])
            self.open(page)
            for window, size in WINDOWS.items():
                self.driver.set_window_size(*size)
                look = self.driver.execute_script(LOOK)
                self.assertLessEqual(look["wide"], 1, f"{name} is wider than its {window} window")
            self.assertEqual(look["bad"], [], f"formulas of {name}")
            self.assertEqual(look["raw"], [], f"formulas of {name}")
            self.assertEqual(look["broken"], [], f"pictures of {name}")
            faults = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
            self.assertEqual(faults, [], name)
            targets[page], ids[page] = look["links"], set(look["ids"])
            if name in SHOWN:
                self.pictures(page, name)
        self.assertEqual(self.requests(), [])
        self.links(targets, ids)

    def pictures(self, page, name):
        for window, size in WINDOWS.items():
            for scheme, value in SCHEMES.items():
                self.driver.set_window_size(*size)
                self.open(page, value)
                time.sleep(0.2)
                self.driver.save_screenshot(str(OUT / f"{name.replace('/', '-')}-{window}-{scheme}.png"))

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
        self.driver.set_window_size(*WINDOWS["wide"])
        self.open(SITE / "index.html")
        for word, wanted in [("calibrate", "how-to/calibrate.html"), ("Kummer", "proofs/gaussian.html")]:
            box = self.driver.find_element(By.CSS_SELECTOR, "input[name=query]")
            self.driver.execute_script("document.querySelector('#__search').checked = true; arguments[0].focus()", box)
            box.clear()
            box.send_keys(word)
            WebDriverWait(self.driver, 30).until(
                lambda driver: any(wanted in (link.get_attribute("href") or "")
                                   for link in driver.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")),
                f"search for {word}",
            )


if __name__ == "__main__":
    unittest.main(verbosity=2)
