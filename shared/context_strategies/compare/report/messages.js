/* The list of messages: only what is near the view is in the document. */

const SHORT_LINES = 8;
const SHORT_CHARACTERS = 900;
const CHUNK = 30;
const LINE_HEIGHT = 110; // a guess, until a chunk has been laid out once

function shortened(text) {
  let end = Math.min(text.length, SHORT_CHARACTERS);
  let at = -1;
  for (let line = 0; line < SHORT_LINES; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at >= end) return text.slice(0, end);
  }
  return text.slice(0, at);
}

/** Renders lines, and remembers which texts have been opened. */
class Lines {
  constructor() {
    this.opened = new Set();
    this.run = null;
    this.names = ["", ""];
  }

  line(line, position, total) {
    const { run } = this;
    const item = element("div", {
      role: "listitem",
      class: `line${line.fresh ? " fresh" : ""}${line.same ? " same" : ""}`,
      "aria-posinset": position + 1,
      "aria-setsize": total,
      tabindex: "-1",
      "data-key": line.key,
    });
    item.append(line.message === null ? element("p", { class: "head" }, element("b", {}, "summary")) : this.#head(line));
    const sides = line.same ? [line.sides[0]] : line.sides;
    const cells = element("div", { class: "cells" });
    sides.forEach((side, place) => cells.append(this.#cell(line, side, line.same ? "both" : ["left", "right"][place])));
    item.append(cells);
    line.sides.forEach((side, place) => {
      if (side.cache) item.append(stripe(side.cache, ["left", "right"][place]));
    });
    return item;
  }

  #head(line) {
    const [kind, turn, , tokens, command] = this.run.messages[line.message];
    const head = element("p", { class: "head" }, element("b", {}, this.run.kinds[kind]));
    if (turn > 0) head.append(element("span", {}, `turn ${turn}`));
    if (command) head.append(element("bdi", { class: "command" }, command));
    if (line.fresh) head.append(element("span", { class: "badge new" }, "new"));
    head.append(element("span", { class: "tokens" }, plural(tokens, "token")));
    return head;
  }

  #cell(line, side, place) {
    const cell = element("div", { class: `cell ${side.state}` });
    if (place !== "both") cell.append(element("span", { class: "hidden" }, `${place}, ${this.names[place === "left" ? 0 : 1]}: `));
    if (side.state === "none") {
      cell.append(element("p", { class: "state" }, "no summary here"));
      return cell;
    }
    const note = this.#note(line, side);
    if (note) cell.append(note);
    if (side.text !== null) cell.append(this.#text(side.text, `${line.key} ${place}`));
    if (line.message !== null && side.state !== "kept") this.#original(cell, line, place);
    return cell;
  }

  /** One line on what has become of the message, if anything has. */
  #note(line, side) {
    const words = {
      masked: "in its place stands a placeholder of",
      summary: side.first < side.last ? `in the place of turns ${side.first} to ${side.last}:` : `in the place of turn ${side.first}:`,
      summarized: "part of the summary above",
      gone: "not in the request",
      unsent: "never sent: its call has no answer, or it answers none",
    }[side.state];
    if (!words && !side.changed) return null;
    const note = element("p", { class: "state" });
    if (words) note.append(element("span", { class: `badge ${side.state}` }, side.state));
    if (side.changed) note.append(element("span", { class: "badge changed" }, "changed"));
    if (words) note.append(side.text === null ? words : `${words} ${plural(side.tokens, "token")}`);
    return note;
  }

  #text(place, key) {
    const { run, opened } = this;
    const whole = run.texts[place];
    const short = shortened(whole);
    const box = element("div", { class: "text" });
    if (short.length === whole.length) {
      box.append(element("pre", {}, whole || "(empty)"));
      return box;
    }
    const fill = () => {
      const open = opened.has(key);
      const size = `${plural(whole.split("\n").length, "line")}, ${plural(whole.length, "character")}`;
      const toggle = () => {
        if (!opened.delete(key)) opened.add(key);
        fill();
        box.querySelector("button").focus();
      };
      const scrolls = open ? { class: "open", tabindex: "0", role: "region", "aria-label": "The whole text" } : {};
      const button = element(
        "button", { type: "button", class: "more", "aria-expanded": String(open), onclick: toggle },
        open ? "Show less" : `Show all (${size})`,
      );
      box.replaceChildren(element("pre", scrolls, open ? whole : `${short} …`), button);
      if (open && run.cuts[place]) {
        box.append(element("p", { class: "state" }, `${plural(run.cuts[place], "more character")} not in this page`));
      }
    };
    fill();
    return box;
  }

  /** The button that shows the message as it was recorded, below what stands for it. */
  #original(cell, line, place) {
    const [, , text, tokens] = this.run.messages[line.message];
    const key = `${line.key} ${place} original`;
    const box = element("div", { class: "original" });
    const fill = () => {
      const open = this.opened.has(key);
      const toggle = () => {
        if (!this.opened.delete(key)) this.opened.add(key);
        fill();
        box.querySelector("button").focus();
      };
      const button = element(
        "button", { type: "button", class: "more", "aria-expanded": String(open), onclick: toggle },
        open ? "Hide the original" : `Show the original (${plural(tokens, "token")})`,
      );
      box.replaceChildren(button, ...(open ? [this.#text(text, `${key} text`)] : []));
    };
    fill();
    cell.append(box);
  }
}

function stripe(cache, side) {
  const words = { read: "read from the cache", "partly read": "partly read from the cache", written: "written to the cache", new: "not cached" };
  const shape = cache === "partly read" ? "read" : cache;
  return element("span", { class: `cache ${shape} ${side}`, title: `${side}: ${words[cache]}` },
    element("span", { class: "hidden" }, `${side}: ${words[cache]}`));
}

/** Chunks of lines in a box that scrolls: those near the view are filled, the others keep their height alone. */
class Scroller {
  constructor(box, lines) {
    this.box = box;
    this.lines = lines;
    this.chunks = [];
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) this.#turn(entry.target.chunk, entry.isIntersecting);
    }, { root: box, rootMargin: "800px 0px" });
  }

  /** Show these lines; what has not changed stays as it is, and a view of the end follows the end. */
  show(lines) {
    const { box } = this;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
    const total = Math.ceil(lines.length / CHUNK);
    while (this.chunks.length > total) this.#remove(this.chunks.pop());
    while (this.chunks.length < total) this.#add();
    this.chunks.forEach((chunk, place) => {
      const some = lines.slice(place * CHUNK, (place + 1) * CHUNK);
      const signature = `${lines.length - some.length ? "" : lines.length}${some.map((line) => line.signature).join("|")}`;
      if (signature === chunk.signature) return;
      Object.assign(chunk, { lines: some, signature, first: place * CHUNK, total: lines.length });
      if (chunk.filled) this.#fill(chunk);
      else this.#empty(chunk, some.length * LINE_HEIGHT);
    });
    if (follows) this.end();
  }

  /** Bring the newest messages into view, where an agent's next step comes from. */
  end() {
    const last = this.chunks.at(-1);
    if (last && !last.filled) this.#fill(last);
    this.box.scrollTop = this.box.scrollHeight;
  }

  /** Bring the line called ``key`` into the middle of the view, and the focus to it. */
  reveal(key) {
    const chunk = this.chunks.find((one) => one.lines.some((line) => line.key === key));
    if (!chunk.filled) this.#fill(chunk);
    const line = [...chunk.element.children].find((child) => child.dataset.key === key);
    line.scrollIntoView({ block: "nearest" });
    this.box.scrollTop += line.getBoundingClientRect().top - this.box.getBoundingClientRect().top - this.box.clientHeight / 3;
    line.focus({ preventScroll: true });
  }

  #add() {
    const chunk = { element: element("div", { role: "presentation", class: "chunk" }), lines: [], filled: false };
    chunk.element.chunk = chunk;
    this.chunks.push(chunk);
    this.box.append(chunk.element);
    this.observer.observe(chunk.element);
  }

  #remove(chunk) {
    this.observer.unobserve(chunk.element);
    chunk.element.remove();
  }

  #turn(chunk, near) {
    if (near && !chunk.filled) this.#fill(chunk);
    else if (!near && chunk.filled) this.#empty(chunk, chunk.element.offsetHeight);
  }

  #fill(chunk) {
    chunk.filled = true;
    chunk.element.style.minHeight = "";
    chunk.element.replaceChildren(
      ...chunk.lines.map((line, place) => this.lines.line(line, chunk.first + place, chunk.total)),
    );
  }

  #empty(chunk, height) {
    chunk.filled = false;
    chunk.element.replaceChildren();
    chunk.element.style.minHeight = `${height}px`;
  }
}
