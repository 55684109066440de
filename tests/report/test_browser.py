"""The page of a report in headless Chromium, as a reader would use it."""

import json
import re
import shutil

import numpy as np
import pytest

from dcsvm import DCSVC
from dcsvm.report import write_report

webdriver = pytest.importorskip("selenium.webdriver", reason="no Selenium: pip install '.[test]'")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # Chromium refuses to run as root with one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1366,850",
)
STRANGE = ["</script><b>", "<img src=x onerror=alert(1)>", "{{data}}", "a & b", "", "θ 😀"]

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="no Chromium: apt-get install chromium chromium-driver",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


class Page:
    """A report that is open."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.get("about:blank")
        browser.get_log("performance")
        self.address = path.as_uri()
        browser.get(self.address)
        WebDriverWait(browser, 20).until(
            lambda b: b.execute_script("return 'ready' in document.documentElement.dataset")
        )

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def choose(self, t):
        button = self.one(f'button[data-row="{t}"]')
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((n) => n.textContent)"
        return self.browser.execute_script(script, selector)

    def count(self, selector):
        return self.browser.execute_script(
            "return document.querySelectorAll(arguments[0]).length", selector
        )

    def check_quiet(self):
        """Nothing undefined, no message in the console, no request but for the file itself."""
        assert "undefined" not in self.one("body").text
        assert self.browser.get_log("browser") == []
        events = [json.loads(e["message"])["message"] for e in self.browser.get_log("performance")]
        asked = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        outside = [url for url in asked if not url.startswith("data:")]
        assert outside == [self.address]


def blobs(n_classes, n_rows, spread, seed=0):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(n_classes, 6)) * spread
    y = np.arange(n_rows) % n_classes
    X = centres[y] + random.normal(size=(n_rows, 6))
    half = n_rows // 2
    return X[:half], y[:half], X[half:], y[half:]


# Classes, rows, and whether along the paper's structure; and how much the classes overlap.
SIZES = {
    "10 by the paper": (10, 300, True, 1.5),
    "26 classes": (26, 624, False, 1.8),
    "150 classes": (150, 1200, False, 3.0),
}


@pytest.mark.parametrize("size", SIZES)
def test_shows_what_the_model_says(browser, size, tmp_path):
    k, n_rows, by_paper, spread = SIZES[size]
    X, y, X_test, y_test = blobs(k, n_rows, spread)
    names = np.array([f"class number {c}" if k == 150 else chr(65 + c) for c in range(k)])
    model = (DCSVC.paper() if by_paper else DCSVC(theta=0.002)).fit(X, names[y])
    write_report(model, X_test, names[y_test], tmp_path / "report.html")
    page = Page(browser, tmp_path / "report.html")
    check_paths(browser, page, model, X_test, names[y_test])
    check_figures(browser, page, model, X_test, names[y_test])
    page.check_quiet()


def check_paths(browser, page, model, X, y):
    """A click shows the path of a row to the label that `predict` gives."""
    data = browser.execute_script("return JSON.parse(document.getElementById('data').textContent)")
    places = data["paths"]["rows"]["place"]
    wrong = [t for t, p in enumerate(places) if model.predict(X[[p]])[0] != y[p]][:2]
    for t in {0, len(places) // 2, len(places) - 1, *wrong}:
        page.choose(t)
        x = X[[places[t]]]
        label = model.predict(x)[0]
        assert page.texts("#shown-label") == [label]
        assert page.texts("#paths .chip.last") == [label]
        decisions = model.decision_cost(x).decisions[0]
        assert (
            page.count("#paths .round .value-line") + page.count("#paths .round .asked-for-vote")
            == decisions
        )
        if data["paths"]["tree"] is not None:  # the path is drawn, from the root to its leaf
            assert page.count(".node.on") == len(data["paths"]["tree"]["paths"][t])
            (leaf,) = page.all(".node.leaf.on")
            assert leaf.get_attribute("aria-label").startswith(f"{label}, ")
        assert page.count("#paths .badge.bad") == (label != y[places[t]])
        assert page.count(".farewell") == (label != y[places[t]])
        for link in page.all(".verdict .link"):
            link.click()
            assert page.count(".round.at .farewell") == 1


def check_figures(browser, page, model, X, y):
    """What is counted is what the model says, and the tables are painted."""
    assert page.texts(".tile .figure")[0] == f"{100 * model.score(X, y):.2f} %"
    k = len(model.classes_)
    assert f"{k * (k - 1) // 2:,}" in page.texts(".facts dd")
    check_asking(browser, page, model, X, y)
    n_wrong = int((model.predict(X) != y).sum())
    browser.execute_script("document.getElementById('wrong-only').click()")
    shown = page.count(".rows .row")
    assert shown == page.count(".rows .row.wrong") <= n_wrong
    if len(X) <= 500:
        assert shown == n_wrong
    for canvas in ("#confusion canvas", "#table canvas"):
        assert n_colours(browser, canvas) > 5


def check_asking(browser, page, model, X, y):
    """Decided rows after the first decisions, and examples that lead to the rows they name."""
    decisions = model.decision_cost(X).decisions
    titles, told = page.texts(".steps tbody th"), page.texts(".steps tbody td:last-child")
    assert len(told) > 1
    for title, share in zip(titles, told, strict=True):
        step = int("0" + re.sub(r"\D", "", title))
        assert step == 40 or share == f"{100 * (decisions <= step).mean():.1f} %"
    predicted = model.predict(X)
    for button in page.all(".confused .link")[:3]:
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        row = int(button.text.removeprefix("Row ").replace(",", ""))
        assert page.texts("#shown-label") == [predicted[row]] != [y[row]]


def n_colours(browser, selector):
    return browser.execute_async_script(
        """
        const [selector, done] = arguments;
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const canvas = document.querySelector(selector);
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          done(new Set(new Uint32Array(data.buffer)).size);
        }));
        """,
        selector,
    )


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    X, y, X_test, y_test = blobs(6, 240, 1.0)
    names = np.array(STRANGE)
    model = DCSVC(theta=0.002).fit(X, names[y])
    path = tmp_path_factory.mktemp("strange") / "strange & more.html"
    write_report(model, X_test, names[y_test], path, title="<b>bold</b> & {{script}}")
    return model, X_test, path


def test_names_are_never_taken_for_html(browser, strange):
    model, X, path = strange
    page = Page(browser, path)
    assert browser.title == page.one("h1").text == "<b>bold</b> & {{script}}"
    for t in range(0, 120, 15):
        page.choose(t)
        assert page.texts("#shown-label") == [model.predict(X[[t]])[0] or "(empty)"]
    assert page.count("main img") == page.count("main script") == 0
    assert page.count("h1 b") == page.count(".chip b") == 0
    options = page.texts("#table-class option")
    assert options[1:] == [name or "(empty)" for name in sorted(STRANGE)]
    page.check_quiet()


def test_keyboard_reaches_rows_tree_and_tables(browser, tmp_path):
    X, y, X_test, y_test = blobs(6, 240, 1.0)
    write_report(DCSVC.paper().fit(X, y), X_test, y_test, tmp_path / "report.html")
    page = Page(browser, tmp_path / "report.html")
    first = page.one(".rows .row[aria-current=true]")
    first.send_keys(Keys.ARROW_DOWN)
    second = page.one(".rows .row[aria-current=true]")
    assert int(second.get_attribute("data-row")) == int(first.get_attribute("data-row")) + 1
    assert browser.switch_to.active_element == second
    # From the root along the path to a leaf, and a closed node opens.
    page.one(".node[tabindex='0']").send_keys(Keys.ARROW_RIGHT)
    node = browser.switch_to.active_element
    assert node.get_attribute("aria-level") == "2"
    closed = page.all(".node[aria-expanded=false]")[0]
    before = page.count(".node")
    closed.send_keys(Keys.ENTER)
    assert page.count(".node") > before
    for box in ("#confusion .heat", "#table .heat"):
        page.one(box).send_keys(Keys.ARROW_DOWN)
        assert page.one("#tooltip").is_displayed()
        assert page.one("#live").get_attribute("textContent")
        page.one(box).send_keys(Keys.ESCAPE)
        assert not page.one("#tooltip").is_displayed()
    page.check_quiet()


def test_a_confused_pair_leads_to_its_rows(browser, strange):
    page = Page(browser, strange[2])
    pair = page.one(".pairs .pair")
    n = int(page.texts(".pairs .amount")[0])
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", pair)
    pair.click()
    assert page.count(".rows .row") == page.count(".rows .row.wrong") == n
    browser.execute_script("document.querySelector('.pair-filter button').click()")
    assert page.count(".rows .row") == 120
    search = page.one("input[type=search]")
    search.send_keys("θ")
    assert 0 < page.count(".rows .row") < 120
    assert all("θ" in text for text in page.texts(".rows .labels"))
    page.check_quiet()


def test_without_labels(browser, tmp_path):
    X, y, X_test, _ = blobs(4, 120, 2.0)
    model = DCSVC(theta=0.002).fit(X, y)
    write_report(model, X_test, None, tmp_path / "report.html")
    page = Page(browser, tmp_path / "report.html")
    page.choose(7)
    assert page.texts("#shown-label") == [str(model.predict(X_test[[7]])[0])]
    assert page.count(".badge") == page.count("#confusion canvas") == page.count("#wrong-only") == 0
    page.check_quiet()


MOVE = """
const [p, value] = arguments;
const slider = document.querySelectorAll(".try-field input[type=range]")[p];
slider.value = value;
slider.dispatchEvent(new Event("input"));
"""


@pytest.mark.parametrize("by_paper", [False, True])
def test_values_are_tried_on_the_model(browser, by_paper, tmp_path):
    X, y, X_test, y_test = blobs(8, 240, 1.2)
    X, X_test = X.round(2), X_test.round(2)
    model = (DCSVC.paper() if by_paper else DCSVC(theta=0.002)).fit(X, y)
    write_report(model, X_test, y_test, tmp_path / "report.html")
    page = Page(browser, tmp_path / "report.html")
    page.choose(9)
    browser.execute_script("document.getElementById('take-row').click()")
    x = X_test[9].astype(np.float32).astype(np.float64)
    seen = set()
    for value in np.linspace(-2, 2, 9):
        label, decisions = model.predict_with_decisions(x[np.newaxis])
        assert page.texts("#tried-label") == [str(label[0])]
        asked = page.count("#trying .round .value-line") + page.count(
            "#trying .round .asked-for-vote"
        )
        assert asked == decisions[0]
        assert page.count("#trying .try-score") == (0 if by_paper else 8)
        seen.add(label[0])
        browser.execute_script(MOVE, 2, str(value))
        x[2] = np.float32(
            browser.execute_script(
                "return document.querySelectorAll('.try-field input[type=range]')[2].valueAsNumber"
            )
        )
    assert len(seen) > 1
    typed = page.one("#value-0")
    typed.clear()
    typed.send_keys("1.5")
    x[0] = 1.5
    assert page.texts("#tried-label") == [str(model.predict(x[np.newaxis])[0])]
    browser.execute_script("document.getElementById('undo-values').click()")
    assert page.texts("#tried-label") == [str(model.predict(X_test[[9]])[0])]
    assert page.count(".try-field.changed") == 0
    page.check_quiet()


def test_no_form_has_a_reason(browser, tmp_path):
    X, y, X_test, y_test = blobs(3, 90, 2.0)
    model = DCSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    write_report(model, X_test, y_test, tmp_path / "report.html")
    page = Page(browser, tmp_path / "report.html")
    (said,) = page.texts("#no-form")
    assert "kernel='linear'" in said
    assert "wasm-unsafe-eval" not in browser.page_source
    page.check_quiet()


def test_what_goes_on_beyond_its_box_says_so(browser, tmp_path):
    X, y, X_test, y_test = blobs(100, 800, 3.0)
    write_report(DCSVC().fit(X, y), X_test, y_test, tmp_path / "report.html")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 500, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        page = Page(browser, tmp_path / "report.html")
        size = "const r = document.documentElement; return [r.scrollWidth, r.clientWidth]"
        assert len(set(browser.execute_script(size))) == 1  # nothing is wider than the screen
        frame = "#confusion .card.flush .scrolling"
        assert page.one(f"{frame}.has-right .more-right").is_displayed()
        browser.execute_script(f"document.querySelector('{frame} .heat').scrollLeft = 1e6")
        WebDriverWait(browser, 20).until(lambda _: page.count(f"{frame}.has-left") == 1)
        assert page.count(f"{frame}.has-right") == 0
        page.check_quiet()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
