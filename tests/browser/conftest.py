"""A real browser on the page's file. Whatever a test does, the page may not complain, ask for anything, or say a word
of its own.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from context_strategies.compare.report.page import Page as Report
from context_strategies.compare.report.page import html_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Route

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

Visit = Callable[..., "Page"]


# Not for the session: its event loop would be running in the tests that come after.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Chromium, without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on the path")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: "Browser", tmp_path: Path) -> Iterator[Visit]:
    """Open a report with the viewer ready; afterwards nothing must have been said or asked for."""
    said: list[str] = []
    asked: list[str] = []

    def heard(dialog: "Dialog") -> None:
        said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def passed(route: "Route") -> None:
        asked.append(route.request.url)
        route.continue_()

    def opened(report: Report, place: str = "", **options: Any) -> "Page":
        file = tmp_path / "page.html"
        file.write_text(html_of(report), encoding="utf-8")
        page = browser.new_context(**options).new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", heard)
        page.on("popup", lambda popup: said.append(f"popup: {popup.url}"))
        page.route("**", passed)
        page.goto(file.as_uri() + place)
        page.wait_for_selector("#messages .line")
        return page

    yield opened
    for context in browser.contexts:
        context.close()
    assert said == []
    assert {url.partition("#")[0] for url in asked} <= {(tmp_path / "page.html").as_uri()}
