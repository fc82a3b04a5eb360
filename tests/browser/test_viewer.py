"""The viewer as its users meet it: keys, links, two strategies side by side, and runs of a thousand turns."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from context_strategies.compare.report.page import Page
from context_strategies.trajectories import Trajectory, read
from report_pages import EXAMPLES, NAMES, long_run, page

pytestmark = pytest.mark.xdist_group("browser")

Visit = Callable[..., Any]  # a playwright page


@cache
def small() -> Page:
    return page([long_run(12, "first"), long_run(30, "second"), long_run(5, "third")])


def state(tab: Any) -> tuple[str, str, str]:
    """What the viewer stands at: call, left and right strategy."""
    names = [tab.locator(f"#{side} option:checked").text_content() for side in ("left", "right")]
    return (tab.input_value("#number"), *names)


def settled(tab: Any) -> str:
    """The page's address, once stepping has been written into it."""
    number = tab.input_value("#number")
    tab.wait_for_url(lambda url: f"call={number}&" in url)
    return str(tab.url)


def has_calls(tab: Any, number: int) -> None:
    """Wait until the viewer shows a run of so many calls."""
    tab.locator("#count", has_text=re.compile(f"^{number}$")).wait_for()


def test_every_request_weighs_what_it_was_billed(visit: Visit) -> None:
    runs = [run for run in read([EXAMPLES]) if isinstance(run, Trajectory)]
    tab = visit(page(runs))
    wrong = tab.evaluate("""async () => {
      const wrong = [];
      for (const script of document.querySelectorAll("script.run")) {
        const run = new Run(await inflate(script.textContent));
        run.strategies.forEach((strategy, place) => strategy.prompt.forEach((prompt, call) => {
          const request = run.request(place, call);
          if (request.tokens !== prompt) wrong.push([strategy.name, call, request.tokens, prompt]);
        }));
      }
      return wrong;
    }""")
    assert wrong == []


def test_keys_step_through_the_longest_run(visit: Visit, recordings: Path) -> None:
    runs = [run for run in read([recordings / "mini"]) if isinstance(run, Trajectory)]
    longest = max(runs, key=lambda run: len(run.calls))
    tab = visit(page([longest]))
    tab.focus("#messages")
    for number in range(2, len(longest.calls) + 1):
        tab.keyboard.press("ArrowRight" if number % 2 else "j")
        assert number % 20 or tab.input_value("#number") == str(number)
    tab.keyboard.press("j")
    assert tab.input_value("#number") == str(len(longest.calls))
    assert f"of {len(longest.calls)}" in tab.text_content("#status")
    for key, number in (("k", len(longest.calls) - 1), ("Home", 1), ("ArrowLeft", 1), ("End", len(longest.calls))):
        tab.keyboard.press(key)
        assert tab.input_value("#number") == str(number)


def test_arrows_work_wherever_the_messages_are_on_screen(visit: Visit) -> None:
    tab = visit(small())
    tab.keyboard.press("ArrowRight")
    assert tab.input_value("#number") == "1"  # the tables are on screen
    tab.locator("#messages").scroll_into_view_if_needed()
    tab.keyboard.press("ArrowRight")
    assert tab.input_value("#number") == "2"
    tab.keyboard.press("j")  # a letter needs the focus in the viewer
    assert tab.input_value("#number") == "2"


def test_a_field_keeps_its_own_keys(visit: Visit) -> None:
    tab = visit(small())
    tab.focus("#number")
    tab.keyboard.press("End")
    assert tab.input_value("#number") == "1"
    tab.fill("#number", "999")
    tab.keyboard.press("Enter")
    assert tab.input_value("#number") == "30"
    tab.focus("#slider")
    tab.keyboard.press("ArrowLeft")
    assert tab.input_value("#number") == "29"


def test_a_link_leads_to_a_step_and_back_leads_back(visit: Visit) -> None:
    tab = visit(small(), "#run=first&call=9&left=llm_summary%3Aevery%3D4%2Cwindow%3D2&right=raw")
    assert state(tab) == ("9", NAMES[2], "raw")
    tab.select_option("#right", label=NAMES[1])
    tab.select_option("#run", index=1)
    has_calls(tab, 30)
    assert state(tab) == ("1", NAMES[2], NAMES[1])
    tab.focus("#messages")
    tab.keyboard.press("j")
    link = settled(tab)
    tab.go_back()
    has_calls(tab, 12)
    assert state(tab) == ("9", NAMES[2], NAMES[1])
    tab.go_back()
    tab.wait_for_url(lambda url: url.endswith("right=raw"))
    tab.locator("#right-name", has_text="raw").wait_for()
    assert state(tab) == ("9", NAMES[2], "raw")
    tab.go_forward()
    tab.go_forward()
    has_calls(tab, 30)
    assert (tab.url, state(tab)[0]) == (link, "2")


def test_a_link_to_nowhere_says_so(visit: Visit) -> None:
    tab = visit(small(), "#run=fourth&call=x&left=nothing")
    assert "not in this page" in tab.text_content("#about")
    assert tab.input_value("#number") == "1"


def test_the_table_of_runs_leads_to_the_viewer(visit: Visit) -> None:
    tab = visit(small())
    tab.click("details a:has-text('third')")
    has_calls(tab, 5)
    assert tab.evaluate("document.querySelector('#viewer').getBoundingClientRect().top < 50")


def test_what_is_hidden_is_shown_on_demand(visit: Visit) -> None:
    tab = visit(small(), f"#run=first&call=6&left=raw&right={NAMES[1]}")
    line = tab.locator("[data-key=m3]")
    line.scroll_into_view_if_needed()
    masked = line.locator(".cell.masked")
    assert '[Output of "grep 1" hidden: 40 lines' in masked.locator("pre").first.text_content()
    assert "masked" in masked.locator(".state").text_content()
    masked.get_by_role("button", name="Show the original").click()
    masked.get_by_role("button", name="Show all (41 lines").click()
    assert masked.locator("pre").last.text_content() == "src/straw.py:1: no needle\n" * 40
    tab.focus("#messages")
    tab.keyboard.press("j")
    assert line.locator(".original pre").count() == 1  # what is open stays open


def test_changes_are_marked_and_found(visit: Visit) -> None:
    tab = visit(small(), f"#run=first&call=6&left=raw&right={NAMES[1]}")
    assert tab.text_content("#jump") == "Next change (3)"
    tab.click("#jump")
    focused = tab.locator("#messages .line:focus")
    assert "changed" in focused.locator(".cell.masked").text_content()
    tab.select_option("#filter", "changed")
    assert tab.locator("#messages .line").count() == 3
    assert tab.locator("#messages .badge.new").count() == 2
    tab.select_option("#filter", "differ")
    assert tab.locator("#messages .line.same").count() == 0


def test_a_summary_says_what_it_stands_for(visit: Visit) -> None:
    tab = visit(small(), f"#run=second&call=30&left={NAMES[2]}&right=raw")
    tab.evaluate("document.querySelector('#messages').scrollTop = 0")
    summary = tab.locator("#messages .cell.summary")
    assert "in the place of turns 1 to 24: " in summary.text_content()
    tab.select_option("#left", label=NAMES[3])
    assert tab.locator("#messages .cell.gone").count() > 0
    tab.select_option("#right", label=NAMES[2])
    tab.select_option("#filter", "all")
    tab.evaluate("document.querySelector('#messages').scrollTop = 0")
    tab.wait_for_selector("[data-key=m3] .cell.summarized")


def test_stripes_tell_what_was_read_from_the_cache(visit: Visit) -> None:
    tab = visit(small(), f"#run=first&call=6&left=raw&right={NAMES[1]}")
    told = tab.locator("#messages .line .cache.left").evaluate_all("all => all.map((one) => one.textContent)")
    assert told[-2:] == ["left: written to the cache"] * 2
    assert set(told[:-2]) == {"left: read from the cache"}
    right = tab.locator("#messages .line .cache.right").evaluate_all("all => all.map((one) => one.textContent)")
    assert right[-3:] == ["right: written to the cache"] * 3


def test_a_run_of_a_thousand_turns(visit: Visit) -> None:
    tab = visit(page([long_run(1_000)]), f"#run=made-up&call=1000&left=raw&right={NAMES[1]}")
    assert tab.locator("#messages .line").count() < 150
    tab.focus("#messages")
    for _ in range(20):
        tab.keyboard.press("k")
    assert tab.input_value("#number") == "980"
    assert tab.locator("#messages .line").count() < 200
    tab.evaluate("document.querySelector('#messages').scrollTop = 0")
    tab.wait_for_selector("[data-key=m0]")
    assert tab.locator("#messages .line").count() < 200
    tab.locator("[data-key=m0]").wait_for(state="visible")


def test_names_for_those_who_do_not_see(visit: Visit) -> None:
    tab = visit(small(), f"#run=first&call=6&left=raw&right={NAMES[1]}")
    for role, name in (
        ("combobox", "Run"),
        ("slider", "Call"),
        ("spinbutton", "Call of 12"),
        ("button", "Next call"),
        ("button", "Previous call"),
        ("combobox", "Left"),
        ("combobox", "Right"),
        ("combobox", "Theme"),
        ("list", "Messages of this call, oldest first"),
        ("region", "left strategy"),
    ):
        assert tab.get_by_role(role, name=name, exact=True).count() == 1, (role, name)
    unnamed = tab.evaluate("""() => [...document.querySelectorAll("button, select, input")]
      .filter((one) => !one.textContent.trim() && !one.ariaLabel && !one.labels?.length).map((one) => one.outerHTML)""")
    assert unnamed == []
    items = tab.locator("#messages [role=listitem]")
    assert items.first.get_attribute("aria-setsize") == str(items.count())
    order = []
    tab.focus("#run")
    for _ in range(8):
        tab.keyboard.press("Tab")
        order.append(tab.evaluate("document.activeElement.id"))
    assert order == ["slider", "first", "previous", "number", "next", "last", "filter", "jump"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(visit: Visit, scheme: str) -> None:
    tab = visit(small(), f"#run=first&call=6&left={NAMES[3]}&right={NAMES[1]}", color_scheme=scheme)
    low = tab.evaluate(CONTRAST)
    assert low == []


CONTRAST = """() => {
  const parse = (color) => {
    const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const behind = (one) => {
    for (let up = one; up; up = up.parentElement) {
      const color = parse(getComputedStyle(up).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => part / 255).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const low = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.disabled || !one.checkVisibility() || one.closest("script, noscript, .hidden")) continue;
    const [light, dark] = [parse(getComputedStyle(one).color), behind(one)].map(luminance).sort((a, b) => b - a);
    if ((light + 0.05) / (dark + 0.05) < 4.5) low.push(one.outerHTML.slice(0, 120));
  }
  return low;
}"""
"""Elements with a text of less contrast than WCAG 2.2 AA asks of small text."""


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_small_screen_scrolls_one_way_only(visit: Visit, width: int) -> None:
    tab = visit(small(), "#run=second&call=20", viewport={"width": width, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.locator("#messages .line").count() > 0
