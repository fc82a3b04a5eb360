"""The page as a document: foreign text is shown as text, tables sort, figures are drawn, themes switch."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from context_strategies.compare.charts import Chart, Series
from context_strategies.compare.report.runs import LONGEST
from report_pages import HOSTILE, hostile_run, long_run, page

pytestmark = pytest.mark.xdist_group("browser")

Visit = Callable[..., Any]  # a playwright page


def chart(title: str) -> Chart:
    return Chart(
        "name", title, "Bars of it.", "bars", "", "<b>tokens</b>", (Series("s", (), (1, 2), names=(HOSTILE[2], "b")),)
    )


def test_foreign_text_is_text(visit: Visit) -> None:
    tab = visit(page([hostile_run(), long_run(2)]), viewport={"width": 1200, "height": 900})
    tab.select_option("#filter", "all")
    last = int(tab.text_content("#count"))
    tab.fill("#number", str(last))
    tab.keyboard.press("Enter")
    shown = tab.locator("#messages pre").evaluate_all("all => all.map((one) => one.textContent)")
    for text in HOSTILE[:4]:
        assert text in shown
    assert tab.locator("#messages :is(script, img, svg, a, iframe), #messages pre > *").count() == 0
    assert tab.evaluate("document.querySelectorAll('script:not([type])').length") == 1
    assert HOSTILE[1] in tab.text_content("#run option:checked")
    assert tab.evaluate("document.querySelectorAll('img, iframe, object, embed, form, base').length") == 0


def test_a_line_of_a_megabyte_is_cut_and_opened_on_demand(visit: Visit) -> None:
    tab = visit(page([hostile_run()]), "#call=9&run=hostile")
    tab.focus("#messages")
    tab.keyboard.press("End")
    line = tab.locator("#messages .line", has=tab.locator("pre", has_text="xxxxxxxxxx")).first
    line.get_by_role("button", name="Show all (1 line, 200,000 characters)").click()
    assert len(line.locator("pre.open").text_content()) == LONGEST
    assert "800,000 more characters not in this page" in line.text_content()


def test_text_from_right_to_left_keeps_to_itself(visit: Visit) -> None:
    tab = visit(page([hostile_run()]), viewport={"width": 1200, "height": 900})
    tab.focus("#messages")
    tab.keyboard.press("End")
    heads = tab.locator("#messages .line .head").evaluate_all("""all => all.map((head) => {
      const box = (part) => head.querySelector(part).getBoundingClientRect();
      const [kind, tokens] = [box("b"), box(".tokens")];
      return kind.right < tokens.left && tokens.right > head.getBoundingClientRect().right - 2;
    })""")
    assert len(heads) > 10
    assert all(heads)
    # Digits are drawn from left to right unless a text before them has turned the direction.
    label = tab.locator("#run option:checked").text_content()
    assert (label[0], label.count("\u2068"), label.count("\u2069")) == ("\u2068", 1, 1)
    cells = tab.locator("tbody th bdi").evaluate_all("all => all.map((one) => getComputedStyle(one).unicodeBidi)")
    assert set(cells) == {"isolate"}
    assert tab.locator("pre").first.evaluate("one => getComputedStyle(one).unicodeBidi") == "plaintext"


def test_tables_sort_by_a_click_on_a_column(visit: Visit) -> None:
    tab = visit(page([long_run(12, "first"), long_run(30, "second"), long_run(5, "third")]))
    names = tab.locator("details tbody th")
    button = tab.locator("details").get_by_role("button", name="calls", exact=True)
    button.click()
    assert names.all_inner_texts()[:3] == ["third", "first", "second"]
    assert button.locator("..").get_attribute("aria-sort") == "ascending"
    button.click()
    assert names.all_inner_texts()[:3] == ["second", "first", "third"]
    tab.locator("details").get_by_role("button", name="run", exact=True).click()
    assert names.all_inner_texts()[:3] == ["first", "second", "third"]


def test_figures_are_drawn_when_they_come_into_view(visit: Visit) -> None:
    tab = visit(
        replace(page([long_run(5)]), charts=[chart("One"), chart("Other")]), viewport={"width": 1000, "height": 300}
    )
    assert tab.evaluate("typeof window.Plotly") == "undefined"
    tab.locator(".chart").first.scroll_into_view_if_needed()
    tab.wait_for_selector(".chart .bars", state="attached")
    assert tab.locator(".chart .main-svg").count() >= 2
    assert tab.locator(".chart :is(img, script)").count() == 0
    assert "onerror" in tab.locator(".chart").first.text_content()
    assert tab.get_by_role("img", name="One. Bars of it.").count() == 1


def test_the_theme_can_be_chosen(visit: Visit) -> None:
    tab = visit(page([long_run(5)]), color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.evaluate(paper)
    tab.select_option("#theme", "dark")
    dark = tab.evaluate(paper)
    assert dark != light
    tab.emulate_media(color_scheme="dark")
    tab.select_option("#theme", "light")
    assert tab.evaluate(paper) == light
    tab.select_option("#theme", "")
    assert tab.evaluate(paper) == dark


def test_without_scripts_the_tables_are_there(visit: Visit) -> None:
    report = page([long_run(5)])
    tab = visit(report)
    assert tab.locator("table").count() >= 3
    assert tab.locator("h1").count() == 1
    assert "never what it would have solved" in tab.text_content(".caution")
