"""Test the page of `dpcert serve` in a headless browser: wide and narrow, light and dark.

Started by scripts/serve_test.sh.
"""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request

from headless import DARK, OUT, browser
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

DPCERT = os.environ["DPCERT"]


class Page(unittest.TestCase):
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.served = subprocess.Popen([DPCERT, "serve"], stdout=subprocess.PIPE, text=True)
        cls.address = cls.served.stdout.readline().strip()
        cls.driver = browser(*(DARK if cls.dark else []))

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.served.terminate()
        cls.served.wait()

    def setUp(self):
        self.driver.set_window_size(1280, 1000)
        self.driver.get(self.address)
        self.wait(lambda: len(Select(self.by("add")).options) > 10, "mechanisms")

    def by(self, name):
        return self.driver.find_element(By.ID, name)

    def wait(self, done, what):
        WebDriverWait(self.driver, 60).until(lambda _: done(), what)

    def type(self, name, text):
        self.by(name).clear()
        self.by(name).send_keys(text)

    def ask(self):
        self.by("ask").click()
        self.wait(lambda: self.by("ask").text == "Compute" and (self.by("answer").is_displayed() or self.by("fault").is_displayed()),
                  "an answer")

    def test_composes_selected_mechanisms_and_answers(self):
        self.by("clear").click()
        for name, times in [("gaussian", "3"), ("laplace", "2")]:
            Select(self.by("add")).select_by_visible_text(name)
            self.type("times", times)
            self.by("compose").click()
        composed = self.by("mechanism").get_attribute("value")
        self.assertRegex(composed, r"^gaussian\(.*\)\^3 \* laplace\(.*\)\^2$")
        self.ask()
        said = subprocess.run([DPCERT, "epsilon", composed, "--delta", "1e-5", "--json"], capture_output=True, text=True, check=True)
        truth = json.loads(said.stdout)
        self.assertEqual(self.by("number").text, f"{truth['lower']} ≤ epsilon ≤ {truth['upper']}")
        self.wait(lambda: self.by("picture").is_displayed(), "a picture")
        self.assertGreater(self.driver.execute_script("return arguments[0].naturalWidth", self.by("picture")), 100)
        self.assertIn("--delta '1e-5'", self.by("copy-shell").text)
        self.assertIn("dpcert.epsilon(", self.by("copy-python").text)
        self.assertEqual(json.loads(self.by("copy-json").text)["at"], {"delta": "1e-5"})
        self.assertGreater(len(self.by("explanation").find_elements(By.TAG_NAME, "tr")), 2)
        for window, size in {"wide": (1280, 1000), "narrow": (380, 900)}.items():
            self.driver.set_window_size(*size)
            wide = self.driver.execute_script(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertLessEqual(wide, 1, f"wider than its {window} window")
            height = self.driver.execute_script("return document.documentElement.scrollHeight")
            self.driver.set_window_size(size[0], min(height + 200, 4000))
            self.driver.save_screenshot(str(OUT / f"serve-{window}-{'dark' if self.dark else 'light'}.png"))
        self.quiet()

    def test_dp_sgd_is_listed_and_answered(self):
        self.by("clear").click()
        Select(self.by("add")).select_by_visible_text("dp-sgd")
        self.assertIn("noise-multiplier", self.by("about").text)
        self.by("compose").click()
        self.assertTrue(self.by("mechanism").get_attribute("value").startswith("dp-sgd(examples="))
        self.ask()
        self.assertIn("≤ epsilon ≤", self.by("number").text)
        # The shorthand is expanded.
        self.assertTrue(self.by("copy-expression").text.startswith("poisson("))

    def test_other_quantities(self):
        for quantity, at in [("delta", "1"), ("beta", "0.05")]:
            self.driver.find_element(By.CSS_SELECTOR, f"input[value={quantity}]").click()
            self.assertEqual(self.by("at").get_attribute("value"), at)
            self.ask()
            self.assertIn(f"≤ {quantity} ≤", self.by("number").text)

    def test_shows_input_as_text(self):
        for text in ["<img src=x onerror='window.hacked = 1'>", "gaussian(sigma=<b>1</b>)", "@/etc/passwd", "", "gaussian(sigma=0)"]:
            self.type("mechanism", text)
            self.ask()
            self.assertTrue(self.by("fault").is_displayed(), text)
            self.assertEqual(self.by("fault").find_elements(By.CSS_SELECTOR, "*"), [], text)
            self.assertNotIn("root:", self.by("fault").text)
        self.assertIsNone(self.driver.execute_script("return window.hacked ?? null"))

    def quiet(self):
        """Assert that the page requested nothing else and logged no error."""
        asked = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in urls if not url.startswith((self.address, "blob:", "data:"))], [])
        faults = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(faults, [])

    def test_refuses_requests_from_another_page(self):
        """The other page even knows the address."""
        self.driver.get("data:text/html,<title>elsewhere</title>")
        script = """
            const done = arguments[arguments.length - 1];
            fetch(arguments[0] + "answer", { method: "POST", headers: { "Content-Type": arguments[1] }, body: "{}" })
              .then((reply) => reply.text()).then(done, (error) => done("refused"));
        """
        for kind in ["application/json", "text/plain"]:
            self.assertEqual(self.driver.execute_async_script(script, self.address, kind), "refused")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(self.address, headers={"Host": "rebound.example"}), timeout=20)
        self.assertEqual(refused.exception.code, 403)


class DarkPage(Page):
    dark = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
