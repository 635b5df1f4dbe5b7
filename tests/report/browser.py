"""The page of an audit in a headless browser: does it show, sort, filter and plot what was judged, and nothing else?

The expected order and the expected rows are worked out here from the same judgements, by other code and in decimal
arithmetic. Started by scripts/report_test.sh.
"""

import base64
import collections
import decimal
import json
import os
import pathlib
import shlex
import subprocess
import time
import unittest

from headless import OUT, browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests/fixtures/report/judgements.jsonl"
VERDICTS = ["unsound", "failed", "undecided", "loose", "sound", "unsupported"]
HOSTILE = (
    "</script><script>window.hacked = 1</script><!-- <img src=x onerror='window.hacked = 2'> --> {{js}} \u2028"
    "<a href=\"javascript:window.hacked = 3\">x</a> &lt;b&gt; \u202eright to left\u0007 ]]> '\"\\ ${window.hacked = 4} "
)


def records():
    lines = [json.loads(line) for line in FIXTURE.read_text().splitlines()]
    judgements = [line for line in lines if line["type"] == "judgement"]
    return judgements, [line for line in lines if line["type"] != "judgement"]


def write_page(name, judgements, others):
    """The page of these judgements, by the crate."""
    lines = OUT / f"{name}.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in judgements + others))
    page = OUT / f"{name}.html"
    subprocess.run([os.environ["REPORT"], lines, page], check=True, timeout=60)
    return page


def number(text):
    """A claim, a truth or a ratio; None where there is none."""
    if text is None:
        return None
    if "inf" in text:
        return decimal.Decimal("-inf" if text.startswith("-") else "inf")
    try:
        exact = decimal.Decimal(float.fromhex(text)) if "0x" in text else decimal.Decimal(text)
    except (ValueError, decimal.InvalidOperation):
        return None
    if exact.is_nan():
        return None
    # The page sorts by doubles wherever they reach.
    rounded = float(exact)
    return decimal.Decimal(rounded) if 1e-300 < abs(rounded) < 1e300 else exact


def claim(judgement):
    return judgement["claim_decimal"] if judgement["claim_decimal"] is not None else judgement["claim"]


def truth(judgement):
    known = judgement["truth"]
    if known is None:
        return None
    return number("inf" if known["kind"] == "infinite" else known.get("lower") or known.get("upper"))


def excess(judgement):
    """How far off, relatively and with its sign."""
    ratio, error = judgement["ratio"], judgement["error"]
    if ratio is None or error is None:
        return number(ratio)
    below = "inf" not in ratio and decimal.Decimal(ratio) < 1
    return -number(error) if below else number(error)


def family(steps):
    names = {step["mechanism"] + (f"({family(step['of'])})" if step.get("of") else "") for step in steps}
    return " * ".join(sorted(names))


def detail(judgement):
    return judgement.get("size") or judgement.get("reason")


def at(judgement):
    return " ".join(judgement["at"]), [float.fromhex(value) for value in judgement["at"].values()]


KEYS = {
    "verdict": lambda j: VERDICTS.index(j["verdict"]),
    "package": lambda j: j["peer"] + " " + j["version"],
    "api": lambda j: j["api"],
    "quantity": lambda j: j["quantity"],
    "mechanism": lambda j: j["mechanism"],
    "at": at,
    "kind": lambda j: j["kind"],
    "claim": lambda j: number(claim(j)),
    "truth": truth,
    "ratio": excess,
    "multiple": lambda j: number(j["delta_at_claim"] and j["delta_at_claim"]["multiple"]),
    "seconds": lambda j: j["seconds"]["peer"],
}

FILTERS = {
    "peer": lambda j: [j["peer"]],
    "verdict": lambda j: [j["verdict"]] + ([j["verdict"] + "/" + detail(j)] if detail(j) else []),
    "quantity": lambda j: [j["quantity"]],
    "family": lambda j: [family(j["parameters"])],
    "kind": lambda j: [j["kind"]] if j["kind"] else [],
    "flag": lambda j: j["flags"],
    "sweep": lambda j: [j["sweep"]["name"]] if j["sweep"] else [],
}


class Page(unittest.TestCase):
    """What all tests share: one browser, and a page opened from disk."""

    @classmethod
    def setUpClass(cls):
        cls.driver = browser("--window-size=1440,1100")
        cls.judgements, cls.others = records()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, page):
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(page.as_uri())
        # The judgements are unpacked after the page is there.
        ready = lambda driver: driver.execute_script("return document.documentElement.dataset.ready") == "yes"
        WebDriverWait(self.driver, 60, poll_frequency=0.05).until(ready)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def set(self, name, value):
        """Choose in a list as a person does: through its events."""
        self.js(
            "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true}))",
            name,
            value,
        )

    def options(self, name):
        found = self.js("return [...document.getElementById(arguments[0]).options].map(o => o.value)", name)
        return [value for value in found if value]

    def shown(self):
        """The places of the judgements in the table, in its order."""
        return self.js("return [...document.querySelectorAll('#table tr.answer')].map(r => Number(r.dataset.index))")

    def calm(self):
        """Nothing was complained about, nothing was asked of any network."""
        complaints = self.driver.get_log("browser")
        self.assertEqual(complaints, [])
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.assertRegex(message["params"]["request"]["url"], r"^(file:///|data:)")


class Report(Page):
    """The page of real judgements."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = write_page("report", cls.judgements, cls.others)

    def setUp(self):
        self.open(self.page)
        Select(self.one("#page-size")).select_by_visible_text("500")
        self.assertLess(len(self.judgements), 500)

    def tearDown(self):
        self.calm()

    def test_a_browser_that_cannot_unpack_says_so(self):
        old = {"source": "delete window.DecompressionStream"}
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", old)
        try:
            self.driver.get(self.page.as_uri())
            self.assertTrue(self.one("#too-old").is_displayed())
            # What it has to say first is there without a script.
            self.assertTrue(self.one("#lead").is_displayed())
            self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "#summary-table tbody tr")), len(self.parties()))
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        self.open(self.page)
        self.assertFalse(self.one("#too-old").is_displayed())

    def test_the_same_judgements_give_the_same_bytes(self):
        again = write_page("again", self.judgements, self.others)
        self.assertEqual(self.page.read_bytes(), again.read_bytes())

    def test_all_judgements_are_shown_the_worst_first(self):
        shown = self.shown()
        self.assertEqual(sorted(shown), list(range(len(self.judgements))))
        verdicts = [VERDICTS.index(self.judgements[place]["verdict"]) for place in shown]
        self.assertEqual(verdicts, sorted(verdicts))
        self.assertEqual(self.judgements[shown[0]]["size"], "gross")

    def test_each_column_sorts_both_ways(self):
        columns = self.js("return [...document.querySelectorAll('th[data-column]')].map(h => h.dataset.column)")
        self.assertEqual(columns, list(KEYS))
        # The first click on the column that is sorted by already would turn it around.
        for column in columns[1:] + columns[:1]:
            key = KEYS[column]
            for way in ["ascending", "descending"]:
                self.one(f"th[data-column={column}] button").click()
                heading = self.one(f"th[data-column={column}]")
                self.assertEqual(heading.get_attribute("aria-sort"), way)
                keys = [key(self.judgements[place]) for place in self.shown()]
                self.assertEqual(len(keys), len(self.judgements))
                known = [each for each in keys if each is not None]
                with self.subTest(column=column, way=way):
                    self.assertEqual(keys[len(known) :], [None] * (len(keys) - len(known)), "what is missing comes last")
                    self.assertEqual(known, sorted(known, reverse=way == "descending"))
                    self.assertGreater(len(set(map(str, known))), 1, "a column of equal things sorts itself")

    def test_each_choice_filters(self):
        for name, values in FILTERS.items():
            expected = collections.Counter(value for j in self.judgements for value in values(j))
            self.assertEqual(set(self.options(f"filter-{name}")), set(expected), name)
            for value, many in expected.items():
                self.set(f"filter-{name}", value)
                shown = self.shown()
                self.assertEqual(len(shown), many, (name, value))
                self.assertTrue(all(value in values(self.judgements[place]) for place in shown))
            self.set(f"filter-{name}", "")
        self.assertEqual(len(self.shown()), len(self.judgements))

    def test_apis_are_those_of_the_package(self):
        self.set("filter-peer", "dp-accounting")
        apis = self.options("filter-api")
        self.assertEqual(len(apis), len({j["api"] for j in self.judgements if j["peer"] == "dp-accounting"}))
        self.set("filter-api", apis[0])
        labels = {(self.judgements[place]["peer"], self.judgements[place]["api"]) for place in self.shown()}
        self.assertEqual(len(labels), 1)

    def test_choices_and_words_together(self):
        self.set("filter-quantity", "epsilon")
        self.set("filter-text", "GET_EPSILON pld")
        shown = set(self.shown())
        expected = {
            place
            for place, j in enumerate(self.judgements)
            if j["quantity"] == "epsilon" and "get_epsilon" in json.dumps(j) and "pld" in json.dumps(j).lower()
        }
        self.assertEqual(shown, expected)
        self.assertTrue(0 < len(shown) < len(self.judgements))
        self.assertIn(f"{len(shown)} of {len(self.judgements)} answers", self.one("#count").text)
        self.set("filter-text", "no answer has this text")
        self.assertEqual(self.shown(), [])
        self.one("#show-all").click()
        time.sleep(0.05)
        self.assertEqual(len(self.shown()), len(self.judgements))

    def test_pages_turn(self):
        Select(self.one("#page-size")).select_by_visible_text("25")
        seen = self.shown()
        self.assertEqual(len(seen), 25)
        self.assertFalse(self.one("#page-previous").is_enabled())
        while self.one("#page-next").is_enabled():
            self.one("#page-next").click()
            seen += self.shown()
        self.assertEqual(sorted(seen), list(range(len(self.judgements))))
        self.one("#page-first").click()
        self.assertEqual(self.shown(), seen[:25])

    def parties(self):
        return [(c["peer"], c["api"]) for c in self.others if c["type"] == "course"]

    def test_without_javascript_there_is_the_summary(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.driver.get(self.page.as_uri())
            self.assertTrue(self.one("noscript .warning").is_displayed())
            self.assertTrue(self.one("#lead").is_displayed())
            rows = self.driver.find_elements(By.CSS_SELECTOR, "#summary-table tbody tr")
            for row, (peer, api) in zip(rows, self.parties(), strict=True):
                of = [j for j in self.judgements if (j["peer"], j["api"]) == (peer, api)]
                barely = [sum(j.get("size") == size for j in of) for size in ("negligible", "rounding")]
                counts = collections.Counter(j["verdict"] for j in of)
                wanted = [counts["unsound"] - sum(barely), *barely]
                wanted += [counts[v] for v in ["failed", "undecided", "loose", "sound", "unsupported"]]
                self.assertEqual([int(cell.text) for cell in row.find_elements(By.TAG_NAME, "td")], wanted)
            self.driver.save_screenshot(str(OUT / "no-javascript.png"))
        finally:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.open(self.page)

    def test_filters_are_in_the_address(self):
        self.set("filter-verdict", "unsound")
        self.set("filter-quantity", "delta")
        api = self.options("filter-api")[0]
        self.set("filter-api", api)
        self.one("th[data-column=claim] button").click()
        self.one("th[data-column=claim] button").click()
        address, shown = self.driver.current_url, self.shown()
        self.assertIn("#answers?", address)
        self.assertTrue(shown)
        # In another window, and typed over what is there.
        for first in ["about:blank", self.page.as_uri(), self.page.as_uri() + "#answers?verdict=sound"]:
            self.driver.get(first)
            self.driver.get(address)
            ready = lambda driver: driver.execute_script("return document.documentElement.dataset.ready") == "yes"
            WebDriverWait(self.driver, 60, poll_frequency=0.05).until(ready)
            Select(self.one("#page-size")).select_by_visible_text("500")
            self.assertEqual(self.shown(), shown)
            self.assertEqual(self.driver.current_url, address)
            self.assertEqual(self.one("th[data-column=claim]").get_attribute("aria-sort"), "descending")
        # Of what no report has nothing is chosen.
        self.driver.get(self.page.as_uri() + "#answers?verdict=perfect&api=nobody&sort=beauty")
        self.open(self.page)
        Select(self.one("#page-size")).select_by_visible_text("500")
        self.assertEqual(len(self.shown()), len(self.judgements))

    def test_failures_are_grouped(self):
        failed = [j for j in self.judgements if j["verdict"] == "failed"]
        options = self.options("filter-failure")
        self.assertTrue(1 < len(options) < len(failed))
        found = []
        for value in options:
            self.set("filter-failure", value)
            of = self.shown()
            self.assertEqual({self.judgements[place]["reason"] for place in of}, {value.split(":")[0]})
            found += of
        self.assertEqual(sorted(found), [place for place, j in enumerate(self.judgements) if j["verdict"] == "failed"])

    def test_one_that_is_nobodys_package_is_a_program(self):
        self.assertIn("released packages", self.one("#about").get_attribute("textContent"))
        mine = [dict(j, peer="mine", version="1", api="-", id=j["id"] + "-" + j["api"]) for j in self.judgements]
        course = dict(next(c for c in self.others if c["type"] == "course"), peer="mine", version="1", api="-")
        self.open(write_page("own", mine, [course]))
        self.assertNotIn("released", self.js("return document.body.innerText"))
        self.assertIn("through its adapter", self.one("#about").get_attribute("textContent"))
        self.assertIn("mine 1 - is not sound", self.one("#lead").text)
        # The worst is printed whole.
        worst = self.one("pre.finding").text
        self.assertIn("unsound (gross)", worst)
        self.assertIn("to reproduce:", worst)
        self.driver.save_screenshot(str(OUT / "own.png"))

    def test_the_summary_counts(self):
        parties = self.parties()
        self.assertEqual(set(parties), {(j["peer"], j["api"]) for j in self.judgements})
        rows = self.driver.find_elements(By.CSS_SELECTOR, "#summary-table tbody tr")
        self.assertEqual(len(rows), len(parties))
        for row, (peer, api) in zip(rows, parties):
            of = collections.Counter(j["verdict"] for j in self.judgements if (j["peer"], j["api"]) == (peer, api))
            cells = row.find_elements(By.TAG_NAME, "td")
            counts = [cell.text.split("\n")[0] for cell in cells[1:9]]
            barely = sum(
                j.get("size") in ("rounding", "negligible") for j in self.judgements if (j["peer"], j["api"]) == (peer, api)
            )
            wanted = [sum(of.values()), of["unsound"] - barely, barely] + [of[v] for v in VERDICTS[1:]]
            self.assertEqual(counts[:1] + counts[1:], [str(n) if n else "\u2013" for n in wanted])
        # A number leads to the answers it counts.
        button = self.one("#summary-table .unsound button")
        many = int(button.text)
        button.click()
        shown = [self.judgements[place] for place in self.shown()]
        self.assertEqual({j["verdict"] for j in shown}, {"unsound"})
        self.assertEqual(sum(j["size"] not in ("rounding", "negligible") for j in shown), many)
        wrong = {(j["peer"], j["api"]) for j in self.judgements if j.get("size") in ("slight", "gross")}
        self.assertIn(f"{len(wrong)} of them make false claims", self.one("#lead").text)

    def test_details_tell_everything(self):
        self.js("document.querySelectorAll('.toggle').forEach(b => b.click())")
        details = self.js(
            "return [...document.querySelectorAll('#table tr.details')].map(r => ["
            "Number(r.previousElementSibling.dataset.index), r.textContent,"
            "[...r.querySelectorAll('.code')].map(c => [c.querySelector('p').textContent, c.querySelector('pre').textContent])])"
        )
        self.assertEqual(len(details), len(self.judgements))
        for place, text, blocks in details:
            judgement = self.judgements[place]
            delta = judgement["delta_at_claim"] or {}
            wanted = [judgement["mechanism"], judgement["comment"], judgement["verdict"], claim(judgement)]
            wanted += [judgement["claim"], judgement["says"], judgement["message"], judgement["ratio"]]
            wanted += [delta.get("promised"), delta.get("true_lower"), delta.get("true_upper")]
            wanted += [(judgement["truth"] or {}).get("lower"), (judgement["truth"] or {}).get("upper")]
            for part in wanted:
                if part is not None:
                    self.assertIn(part, text)
            calls = [code for title, code in blocks if title.startswith("To reproduce")]
            self.assertEqual(calls, [judgement["call"]] if judgement["call"] else [])

    def test_the_command_gives_the_truth(self):
        wanted = {}
        for place, judgement in enumerate(self.judgements):
            if known := self.provable(judgement):
                wanted.setdefault((judgement["quantity"], judgement["verdict"]), (place, known))
        self.assertTrue({"delta", "epsilon", "noise"} <= {quantity for quantity, _ in wanted})
        for place, known in wanted.values():
            self.js("document.querySelector(`tr[data-index='${arguments[0]}'] .toggle`).click()", place)
            blocks = self.driver.find_elements(By.CSS_SELECTOR, f"#details-{place} .code")
            command = [b.find_element(By.TAG_NAME, "pre").text for b in blocks if "true" in b.text or "truth" in b.text]
            self.assertEqual(len(command), 1)
            words = shlex.split(command[0])
            self.assertEqual(words[0], "dpcert")
            done = subprocess.run(
                [os.environ["DPCERT"], *words[1:], "--json"], capture_output=True, text=True, timeout=60, check=True
            )
            answer = json.loads(done.stdout)
            lower, upper = (decimal.Decimal(answer[end]) for end in ("lower", "upper"))
            self.assertTrue(lower <= decimal.Decimal(known[1]) and decimal.Decimal(known[0]) <= upper, command)

    @staticmethod
    def provable(judgement):
        """The two ends between which the command's answer must be."""
        known, delta = judgement["truth"], judgement["delta_at_claim"]
        if judgement["quantity"] == "noise":
            return delta and (delta["true_lower"], delta["true_upper"])
        # Conversions have no command; theirs is `between`.
        return (known["lower"], known["upper"]) if known and known["kind"] in ("exact", "enclosure") else None

    def test_copying(self):
        place = next(i for i, j in enumerate(self.judgements) if j["call"] and "\n" in j["call"])
        self.js("document.querySelector(`tr[data-index='${arguments[0]}'] .toggle`).click()", place)
        button = self.one(f"#details-{place} .code button")
        self.assertEqual(button.text, "Copy")
        self.js("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
        button.click()
        self.assertEqual(self.js("return window.copied"), self.judgements[place]["call"])
        self.assertEqual(button.text, "Copied")

    def test_the_keyboard_is_enough(self):
        toggle = self.one("#table .toggle")
        toggle.send_keys(Keys.ENTER)
        self.assertEqual(toggle.get_attribute("aria-expanded"), "true")
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "tr.details")), 1)
        toggle.send_keys(Keys.SPACE)
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "tr.details")), 0)
        self.one("th[data-column=truth] button").send_keys(Keys.ENTER)
        self.assertEqual(self.one("th[data-column=truth]").get_attribute("aria-sort"), "ascending")
        # Whatever can be clicked can be reached.
        unreachable = self.js(
            "return [...document.querySelectorAll('button, select, input, a[href]')].filter(e => e.tabIndex < 0).length"
        )
        self.assertEqual(unreachable, 0)
        nameless = self.js(
            "return [...document.querySelectorAll('button')].filter(e => !(e.ariaLabel || e.textContent).trim()).length"
            "+ [...document.querySelectorAll('select, input')].filter(e => !e.labels.length).length"
        )
        self.assertEqual(nameless, 0)

    def test_plots_show_each_point(self):
        swept = [j for j in self.judgements if j["sweep"] and j["verdict"] != "unsupported"]
        groups = collections.defaultdict(list)
        for judgement in swept:
            groups[judgement["sweep"]["name"], judgement["peer"], judgement["api"], judgement["kind"]].append(judgement)
        expected = {}
        for (sweep, peer, api, kind), members in groups.items():
            kinds = {k for s, p, a, k in groups if (s, p, a) == (sweep, peer, api) and k}
            if kind or not kinds:
                expected[sweep, f"{peer} {api}", kind or ""] = members + (
                    groups.get((sweep, peer, api, None), []) if kind else []
                )
        self.set("plot-sweep", "")
        cards = self.driver.find_elements(By.CSS_SELECTOR, "#cards figure")
        found = {}
        for card in cards:
            title = card.find_element(By.TAG_NAME, "b").get_attribute("textContent").rsplit(",", 1)[0]
            found[card.get_attribute("data-sweep"), title, card.get_attribute("data-kind")] = card
        self.assertEqual(set(found), set(expected))
        for key, card in found.items():
            members = expected[key]
            # Each point in the plot of values, and once more below where the truth is known.
            below = sum(1 for j in members if excess(j) is not None)
            self.assertEqual(len(card.find_elements(By.CSS_SELECTOR, "svg .point")), len(members) + below, key)
            unsound = [j for j in members if j["verdict"] == "unsound"]
            self.assertIn(f"{len(unsound)} unsound" if unsound else "none unsound", card.text)
            regions = card.find_elements(By.CSS_SELECTOR, ".region")
            self.assertEqual(bool(regions), key[2] in ("upper", "lower"), key)
        attributes = self.js(
            "return [...document.querySelectorAll('#cards svg *')].flatMap(e => [...e.attributes].map(a => a.value))"
        )
        self.assertEqual([a for a in attributes if "NaN" in a or "Infinity" in a or "undefined" in a], [])
        # What is hatched: below the truth for upper bounds, above it for lower ones; in the plot of errors, where the
        # unsound points are and no others.
        wrong, points = self.js(
            """
            const wrong = [];
            let points = 0;
            for (const card of document.querySelectorAll('#cards figure:not([data-kind=""]):not([data-kind="estimate"])')) {
              const [values, errors] = [...card.querySelectorAll('rect.axis')].map((rect) => rect.getBBox());
              const hatched = (x, y) => [...card.querySelectorAll('.region')].some((region) => {
                const point = card.querySelector('svg.plot').createSVGPoint();
                [point.x, point.y] = [x, y];
                return region.isPointInFill(point);
              });
              const upper = card.dataset.kind === 'upper';
              for (const line of card.querySelectorAll('polyline.truth')) {
                for (const [x, y] of line.getAttribute('points').split(' ').map((pair) => pair.split(',').map(Number)).slice(1, -1)) {
                  const inside = upper ? values.y + values.height - 1 : values.y + 1;
                  if (Math.abs(y - inside) > 3 && !hatched(x, inside)) wrong.push('not hatched');
                  if (hatched(x, y - (upper ? 3 : -3))) wrong.push('hatched on the true side');
                }
              }
              for (const point of card.querySelectorAll('.point')) {
                const [x, y] = point.getAttribute('transform').match(/[-\\d.]+/g).map(Number).map((place) => place + 4.8);
                if (y < errors.y) continue;
                points += 1;
                if (hatched(x, y) !== point.classList.contains('unsound')) wrong.push('error ' + point.textContent);
              }
            }
            return [wrong, points];
            """
        )
        self.assertGreater(points, 50)
        self.assertEqual(wrong, [])
        # And the table shows the points of a plot.
        card = next(card for key, card in found.items() if key[2] == "upper")
        key = next(key for key, each in found.items() if each == card)
        card.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(len(self.shown()), sum(1 for j in expected[key] if j["kind"]))

    def test_text_can_be_read_in_both_schemes(self):
        def luminance(colour):
            parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
            red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        grounds = {}
        for scheme in ["light", "dark"]:
            self.emulate(scheme)
            colours = self.js(
                "const probe = document.createElement('span'); document.body.append(probe); const found = {};"
                "for (const name of arguments[0]) { probe.style.color = `var(--${name})`;"
                "found[name] = getComputedStyle(probe).color; } probe.remove(); return found",
                ["page", "raised", "text", "quiet", "link", *VERDICTS],
            )
            grounds[scheme] = colours["page"]
            for name in ["text", "quiet", "link", *VERDICTS]:
                for ground in ["page", "raised"]:
                    dark, light = sorted([luminance(colours[name]), luminance(colours[ground])])
                    self.assertGreaterEqual((light + 0.05) / (dark + 0.05), 4.5, (scheme, name, ground))
            self.js("scrollTo(0, 0)")
            self.driver.save_screenshot(str(OUT / f"{scheme}-top.png"))
            for section in ["summary", "plots", "answers"]:
                self.js("document.getElementById(arguments[0]).scrollIntoView()", section)
                self.driver.save_screenshot(str(OUT / f"{scheme}-{section}.png"))
        self.assertNotEqual(grounds["light"], grounds["dark"])
        self.emulate("light")

    def emulate(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def test_it_fits_a_narrow_window_and_prints(self):
        size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), 400)
        self.driver.save_screenshot(str(OUT / "narrow.png"))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        Select(self.one("#page-size")).select_by_visible_text("25")
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
        pdf = base64.b64decode(printed["data"])
        self.assertEqual(pdf[:5], b"%PDF-")
        (OUT / "print.pdf").write_bytes(pdf)


class Hostile(Page):
    """Packages that print what is no text but an attack."""

    def test_hostile_text_stays_text(self):
        judgements = []
        for place, judgement in enumerate(self.judgements):
            spoilt = dict(judgement)
            for field in ["peer", "version", "api", "id", "mechanism", "expression", "comment", "call", "says", "message"]:
                spoilt[field] = HOSTILE + ("" if field in ("peer", "version", "api") else str(place))
            spoilt["flags"] = [HOSTILE]
            if judgement["claim"]:
                spoilt["claim"] = spoilt["claim_decimal"] = spoilt["ratio"] = spoilt["error"] = HOSTILE
            if judgement["truth"]:
                spoilt["truth"] = {"kind": HOSTILE, "lower": HOSTILE, "upper": HOSTILE}
            if judgement["delta_at_claim"]:
                spoilt["delta_at_claim"] = dict.fromkeys(judgement["delta_at_claim"], HOSTILE)
            if judgement["sweep"]:
                spoilt["sweep"] = {"name": HOSTILE, "parameter": HOSTILE, "x": judgement["sweep"]["x"]}
            judgements.append(spoilt)
        course = next(dict(other) for other in self.others if other["type"] == "course")
        course |= {"peer": HOSTILE, "version": HOSTILE, "api": HOSTILE, "gave_up": HOSTILE}
        course["documentation"] = "javascript:window.hacked = 5"
        self.open(write_page("hostile", judgements, [course]))
        self.set("page-size", "500")
        self.assertEqual(len(self.shown()), len(judgements))
        self.js("document.querySelectorAll('.toggle').forEach(b => b.click())")
        self.set("plot-sweep", "")
        self.assertTrue(self.driver.find_elements(By.CSS_SELECTOR, "#cards figure"))
        self.assertIsNone(self.js("return window.hacked ?? null"))
        census = self.js(
            "return [document.scripts.length, document.images.length, document.querySelectorAll('iframe, object, embed').length,"
            "[...document.links].filter(a => !a.getAttribute('href').startsWith('#')).length]"
        )
        self.assertEqual(census, [2, 0, 0, 0])
        handlers = self.js(
            "return [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on/.test(a.name)).length"
        )
        self.assertEqual(handlers, 0)
        # It is all there to be read; what would hide or turn around other text is shown by number.
        seen = HOSTILE.replace("\u2028", "\\u{2028}").replace("\u202e", "\\u{202e}").replace("\u0007", "\\u{7}")
        codes = self.js("return [...document.querySelectorAll('tr.details pre')].map(p => p.textContent)")
        self.assertIn(seen + "0", codes)
        self.assertIn(seen, self.one("#notes").get_attribute("textContent"))
        for code in codes:
            self.assertNotIn("\u202e", code)
        # A hostile id is one word to a shell.
        again = [code for code in codes if code.startswith("dpcert audit")]
        self.assertEqual(shlex.split(again[0])[-1], seen + str(self.shown()[0]))
        self.calm()


class Large(Page):
    """Many more judgements than anybody reads."""

    def test_tens_of_thousands_of_rows_stay_quick(self):
        copies = 30_000 // len(self.judgements) + 1
        many = [dict(judgement, id=f"{judgement['id']}-{copy}") for copy in range(copies) for judgement in self.judgements]
        page = write_page("large", many, self.others)
        began = time.monotonic()
        self.open(page)
        loaded = time.monotonic() - began
        self.assertEqual(len(self.shown()), 50)
        spent = {}
        for name, script in {
            "sort": "document.querySelector('th[data-column=claim] button').click()",
            "filter": "const e = document.getElementById('filter-verdict'); e.value = 'unsound'; e.dispatchEvent(new Event('change'))",
            "search": "const e = document.getElementById('filter-text'); e.value = 'pld'; e.dispatchEvent(new Event('input'))",
            "page": "document.getElementById('page-next').click()",
        }.items():
            spent[name] = self.js(f"const began = performance.now(); {script}; return performance.now() - began")
            self.assertLessEqual(len(self.shown()), 50)
        print(
            f"{len(many)} judgements, {page.stat().st_size / 1e6:.0f} MB: opened in {loaded:.1f} s;",
            ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in spent.items()),
        )
        self.calm()


if __name__ == "__main__":
    unittest.main()
