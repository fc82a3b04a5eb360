/* The viewer: which run, which call, which two strategies; by controls, by keys, and by the page's address. */

const PARTS = ["system", "task", "demo", "summary", "action", "placeholder", "observation", "note"];
const FILTERS = {
  shown: (line) => !line.hidden,
  all: () => true,
  differ: (line) => !line.same,
  changed: (line) => line.changed,
};

class Viewer {
  constructor(index, packed) {
    this.index = index;
    this.packed = packed;
    this.at = { run: 0, call: 0, left: 0, right: 0 };
    this.run = null;
    this.shown = -1;
    this.lines = new Lines();
    this.scroller = new Scroller(byId("messages"), this.lines);
    this.#listen();
  }

  /** Go where the page's address says, or where the viewer starts. */
  async start() {
    byId("viewer-body").hidden = false;
    // The marks around an id keep what it does to the direction of text to itself.
    byId("run").append(...this.index.map((run, place) =>
      element("option", { value: place }, `\u2068${run.id}\u2069 · ${run.format} · ${plural(run.calls, "call")}`)));
    await this.follow();
  }

  /** Go where the page's address says. */
  async follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (this.run && location.hash && !asked.has("run")) return; // a link to another part of the page
    const longest = this.index.reduce((best, run, place) => (run.calls > this.index[best].calls ? place : best), 0);
    const named = this.index.findIndex((run) => run.key === asked.get("run"));
    await this.pick(named < 0 ? longest : named);
    if (asked.has("run") && named < 0) byId("about").prepend("The run of this link is not in this page. Instead: ");
    Object.assign(this.at, this.#usual());
    const names = this.run.strategies.map((strategy) => strategy.name);
    for (const side of ["left", "right"]) {
      const place = names.indexOf(asked.get(side));
      if (place >= 0) this.at[side] = place;
    }
    this.go(Number.parseInt(asked.get("call"), 10) - 1 || 0);
    this.scroller.end();
    if (named >= 0) byId("viewer").scrollIntoView();
  }

  /** Open a run at its first call, with the strategies that were shown before where it has them. */
  async pick(place) {
    if (this.shown === place) return;
    this.shown = place;
    const run = new Run(await inflate(this.packed[place]));
    if (this.shown !== place) return; // another one was picked meanwhile
    const names = run.strategies.map((strategy) => strategy.name);
    const kept = this.run ? {} : this.#usual(run);
    this.run = this.lines.run = run;
    this.lines.opened.clear();
    Object.assign(this.at, { run: place, call: 0, ...kept });
    byId("run").value = place;
    for (const side of ["left", "right"]) {
      byId(side).replaceChildren(...names.map((name, value) => element("option", { value }, name)));
    }
    byId("slider").max = byId("number").max = run.calls.length;
    byId("count").textContent = count(run.calls.length);
    byId("about").textContent = this.#about(this.index[place]);
    this.go(0);
    this.scroller.end();
  }

  /** Raw beside the strategy that is advised. */
  #usual(run = this.run) {
    const advised = run.strategies.findIndex((strategy) => strategy.name === byId("viewer").dataset.right);
    return { left: 0, right: advised > 0 ? advised : run.strategies.length - 1 };
  }

  #about(entry) {
    const own = entry.condensed ? ["the scaffold had edited its own requests: here is its whole history"] : [];
    return [entry.source, `model: ${entry.model || "not recorded"}`, ...own, ...entry.lost].join(" · ");
  }

  /** Show a call (from 0; the nearest there is). */
  go(call) {
    const { at, run } = this;
    at.call = Math.min(Math.max(call, 0), run.calls.length - 1);
    this.current = run.lines(at.left, at.right, at.call);
    this.cursor = null;
    this.lines.names = [at.left, at.right].map((strategy) => run.strategies[strategy].name);
    this.#controls();
    this.#plot();
    ["left", "right"].forEach((side, place) => this.#side(side, place));
    this.#messages();
    this.#status();
  }

  #messages() {
    const held = document.activeElement;
    const kept = FILTERS[byId("filter").value];
    this.listed = this.current.filter(kept);
    this.scroller.show(this.listed);
    byId("messages").classList.toggle("empty", !this.listed.length);
    if (document.activeElement !== held) byId("messages").focus({ preventScroll: true });
  }

  #controls() {
    const { at, run } = this;
    const number = at.call + 1;
    byId("slider").value = byId("number").value = number;
    byId("slider").setAttribute("aria-valuetext", `call ${number} of ${run.calls.length}`);
    for (const side of ["left", "right"]) {
      byId(side).value = at[side];
      byId(`${side}-name`).textContent = run.strategies[at[side]].name;
    }
    for (const id of ["first", "previous"]) byId(id).disabled = at.call === 0;
    for (const id of ["next", "last"]) byId(id).disabled = number === run.calls.length;
    const changes = this.current.filter((line) => line.changed).length;
    byId("jump").disabled = !changes;
    byId("jump").textContent = `Next change (${count(changes)})`;
  }

  #plot() {
    const { at, run } = this;
    const top = Math.max(...[0, at.left, at.right].flatMap((place) => run.strategies[place].prompt), 1);
    const key = [at.run, at.left, at.right].join();
    if (byId("sizes").dataset.key !== key) {
      const curves = [["raw", 0], ["left", at.left], ["right", at.right]].map(([name, place]) =>
        curve(name, run.strategies[place].prompt, top));
      const here = document.createElementNS(SVG, "line");
      here.setAttribute("class", "here");
      here.setAttribute("y2", "100");
      byId("sizes").replaceChildren(...curves, here);
      byId("sizes").dataset.key = key;
      document.querySelector(".key.raw").hidden = at.left === 0 || at.right === 0;
      byId("top").textContent = `Tokens of each request, up to ${count(top)}`;
    }
    const x = across(at.call, run.calls.length);
    const here = byId("sizes").lastElementChild;
    here.setAttribute("x1", x);
    here.setAttribute("x2", x);
  }

  #side(side, place) {
    const { at, run } = this;
    const [request, raw] = [run.request(at[side], at.call), run.request(0, at.call)];
    const { masked, summarized, gone } = request.totals;
    const spent = run.strategies[at[side]].spent[at.call];
    const share = Math.round((100 * request.prompt) / (raw.prompt || 1));
    const changed = this.current.filter((line) => line.sides[place].changed).length;
    const hidden = [[masked, "masked"], [summarized, "summarized"], [gone, "gone"]].filter(([number]) => number);
    byId(`${side}-facts`).replaceChildren(
      element("b", {}, plural(request.prompt, "token")), ` (${share} % of raw), ${Math.round((100 * request.cached) / (request.prompt || 1))} % from the cache. `,
      `$${money(request.cost)} this call, $${money(spent)} so far (${Math.round((100 * spent) / (run.strategies[0].spent[at.call] || 1))} % of raw). `,
      hidden.length ? `${hidden.map(([number, word]) => `${count(number)} ${word}`).join(", ")}. ` : "Nothing hidden. ",
      changed ? `${count(changed)} shown otherwise than before.` : "",
    );
    const parts = PARTS.filter((part) => request.parts[part]);
    byId(`${side}-parts`).setAttribute("aria-label", parts.map((part) => `${part} ${count(request.parts[part])} tokens`).join(", "));
    byId(`${side}-parts`).replaceChildren(...parts.map((part) => {
      const box = element("span", { class: part, title: `${part}: ${plural(request.parts[part], "token")}` }, part);
      box.style.width = `${(100 * request.parts[part]) / Math.max(raw.prompt, request.prompt)}%`;
      return box;
    }));
  }

  #status() {
    const { at, run } = this;
    const tokens = ["left", "right"].map((side) => `${side} ${plural(run.request(at[side], at.call).prompt, "token")}`);
    byId("status").textContent = `Call ${at.call + 1} of ${run.calls.length}: ${tokens.join(", ")}`;
  }

  /** The next line that has changed since the call before, after the one that was jumped to last. */
  jump() {
    const changed = this.listed.filter((line) => line.changed);
    if (!changed.length) return;
    const place = changed.findIndex((line) => line.key === this.cursor);
    const line = changed[(place + 1) % changed.length];
    this.cursor = line.key;
    this.scroller.reveal(line.key);
  }

  /** Put what is shown into the page's address: ``anew`` as a place to come back to, otherwise in a while. */
  #remember(anew) {
    const { at, run } = this;
    const names = [at.left, at.right].map((strategy) => run.strategies[strategy].name);
    const place = new URLSearchParams({ run: this.index[at.run].key, call: at.call + 1, left: names[0], right: names[1] });
    clearTimeout(this.waiting);
    if (anew) history.pushState(null, "", `#${place}`);
    else this.waiting = setTimeout(() => history.replaceState(null, "", `#${place}`), 300); // browsers refuse many at once
  }

  #step(call, anew = false) {
    this.go(call);
    this.#remember(anew);
  }

  #listen() {
    const { at } = this;
    const steps = { first: () => 0, previous: () => at.call - 1, next: () => at.call + 1, last: () => this.run.calls.length - 1 };
    for (const [id, to] of Object.entries(steps)) byId(id).addEventListener("click", () => this.#step(to()));
    byId("slider").addEventListener("input", () => this.#step(byId("slider").valueAsNumber - 1));
    byId("number").addEventListener("change", () => this.#step((byId("number").valueAsNumber || at.call + 1) - 1, true));
    byId("sizes").addEventListener("click", (event) => {
      const box = byId("sizes").getBoundingClientRect();
      this.#step(Math.round(((event.clientX - box.left) / box.width) * (this.run.calls.length - 1)), true);
    });
    for (const side of ["left", "right"]) {
      byId(side).addEventListener("change", () => {
        at[side] = Number(byId(side).value);
        this.#step(at.call, true);
      });
    }
    byId("run").addEventListener("change", async () => {
      await this.pick(Number(byId("run").value));
      this.#remember(true);
    });
    byId("filter").addEventListener("change", () => this.#messages());
    byId("jump").addEventListener("click", () => this.jump());
    window.addEventListener("popstate", () => this.follow());
    const keys = { ArrowRight: steps.next, j: steps.next, ArrowLeft: steps.previous, k: steps.previous, Home: steps.first, End: steps.last };
    document.addEventListener("keydown", (event) => {
      if (!this.#takes(event)) return;
      if (event.key === "n") this.jump();
      else if (keys[event.key]) this.#step(keys[event.key]());
      else return;
      event.preventDefault();
    });
  }

  /** Whether a key is the viewer's: focus is in it and on no field of its own keys; arrows also without a focus. */
  #takes(event) {
    if (!this.run || event.ctrlKey || event.altKey || event.metaKey) return false;
    const held = document.activeElement;
    if (held === document.body) return event.key.startsWith("Arrow") && onScreen(byId("messages"));
    return byId("viewer").contains(held) && !held.matches("select, input, pre");
  }
}

function onScreen(box) {
  const { top, bottom } = box.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
