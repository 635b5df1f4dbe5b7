"""Chromium without a window, as all tests of pages start it: scripts/browser.sh says where it is."""

import os
import pathlib

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

#: Pictures for people to look at.
OUT = pathlib.Path(os.environ["OUT"]).resolve()

ARGUMENTS = [
    "--headless=new",
    # Containers run as root, where Chromium's sandbox does not.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    # What it would ask of a network by itself.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
#: As somebody has it who likes it dark.
DARK = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]


def browser(*arguments):
    """A browser that keeps what its pages say and ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for argument in [*ARGUMENTS, *arguments]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(os.environ["CHROMEDRIVER"]))
