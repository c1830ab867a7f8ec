# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages in Debian's Chromium. tools/dev/run-suites --suite pages runs these tests, and says
so when it cannot; by hand:

    PYTHONPATH=build/python /usr/bin/python3 -m pytest test/pages [--pictures FOLDER]

--pictures is where screenshots go; those of the guide are in docs/Guides/pictures. --timed
holds times to their limits, on a computer that has nothing else to do.
"""

import subprocess
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import sequin

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(sequin.__file__).resolve().parents[2]
CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
#: What the pages are made for.
WIDTH, HEIGHT = 1280, 800
FLAGS = ["--headless=new", "--no-sandbox", f"--window-size={WIDTH},{HEIGHT}", "--disable-gpu",
         "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--hide-scrollbars"]


def pytest_addoption(parser):
    parser.addoption("--pictures", default=None, help="where screenshots go")
    parser.addoption("--timed", action="store_true", help="hold times to their limits")


def pytest_configure(config):
    config.addinivalue_line("markers", "rows(ids...): rows of the specification's index")


class Browser:
    """Chromium with one page."""

    def __init__(self):
        options = Options()
        options.binary_location = str(CHROMIUM)
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
        # A page works without a network, so it has none.
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def open(self, path: Path) -> float:
        """Seconds until the page is there."""
        self.driver.get_log("browser")
        began = time.monotonic()
        self.driver.get(path.as_uri())
        while self.run("return document.getElementById('page').getAttribute('aria-busy')") != "false":
            assert time.monotonic() - began < 60, "the page does not get ready"
            time.sleep(0.01)
        return time.monotonic() - began

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self):
        """After the next frame."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def processor_time(self) -> float:
        """Seconds that the browser's processes have been at work."""
        driver = psutil.Process(self.driver.service.process.pid)
        times = [process.cpu_times() for process in driver.children(recursive=True)]
        return sum(time.user + time.system for time in times)

    def memory(self) -> int:
        """Bytes of the browser's processes that are theirs alone, and of the page they show."""
        driver = psutil.Process(self.driver.service.process.pid)
        return sum(process.memory_full_info().uss for process in driver.children(recursive=True))

    def picture(self, path: Path):
        self.settle()
        self.driver.save_screenshot(str(path))


@pytest.fixture(scope="session")
def browser():
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.fixture
def picture(request, browser, tmp_path):
    """Saves what the browser shows under a name."""
    folder = Path(request.config.getoption("--pictures") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)

    def save(name: str):
        browser.picture(folder / f"{name}.png")

    return save


@pytest.fixture(autouse=True)
def scratch(monkeypatch, tmp_path):
    """Names on a page are as short as on a command line in the tree."""
    (tmp_path / "examples").symlink_to(SOURCE / "examples")
    monkeypatch.chdir(tmp_path)


def sequin_run(*arguments, code=0, folder=None) -> str:
    """Runs the tool; what it says."""
    done = subprocess.run([str(BUILD / "bin" / "sequin-run"), *map(str, arguments)],
                          cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stderr
    return done.stderr


#: Pages by name: arguments of sequin-run, its exit code.
RUNS = {
    "digits": (["examples/digits/mlp.mlir", "--target=rngd", "--timing-only"], 0),
    "gemm": (["examples/tcp/gemm.mlir", "--timing-only"], 0),
    "chips": (["examples/tcp/all_reduce.mlir", "--timing-only"], 0),
    "stencil": (["examples/csl/wse3/stencil.mlir", "--input", "u=u.npy", "--launch",
                 "run(4, 2, -1)"], 0),
    "tree": (["examples/csl/wse3/reduce_tree.mlir", "--input", "data=d.npy", "--launch",
              "reduce"], 0),
    "hang": (["examples/csl/wse3/reduce_tree.mlir", "--input", "data=d.npy", "--launch",
              "reduce@0,0,4,1"], 3),
}


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The page of a run by its name; made once."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "examples").symlink_to(SOURCE / "examples")
    np.save(folder / "d.npy", np.ones((1, 8, 16), "f4"))
    np.save(folder / "u.npy", np.ones((4, 5, 10), "f4"))
    made = {}

    def make(name: str) -> Path:
        if name not in made:
            arguments, code = RUNS[name]
            path = folder / f"{name}.html"
            sequin_run(*arguments, "--page", path.name, code=code, folder=folder)
            made[name] = path
        return made[name]

    return make
