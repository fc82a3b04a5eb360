"use strict";

/* A run's document (its shape is told in runs.py), and what it says of one call. */

const [KEEP, MASK, SUMMARIZE] = [0, 1, 2]; // what else there is drops
const TASK_KINDS = new Set(["system", "task", "demo"]);

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** One strategy's request of one call: of each message of the history, and each summary, its state, text and cost. */
class Request {
  constructor(run, strategy, call) {
    this.messages = new Array(run.calls[call]);
    this.summaries = new Map();
    this.totals = { masked: 0, summarized: 0, gone: 0 };
    this.parts = {};
    this.prompt = strategy.prompt[call];
    this.cached = strategy.cached[call];
    this.written = strategy.written[call];
    this.cost = strategy.cost[call];
    this.tokens = 0;
    this.#lay(run, strategy, call);
  }

  #lay(run, strategy, call) {
    const edits = strategy.edits[call];
    let start = 0;
    for (let at = 0; at < edits.length; at += 3) {
      const [operation, stop, argument] = [edits[at], edits[at + 1], edits[at + 2]];
      if (operation === SUMMARIZE) {
        const [first, last] = [start, stop - 1].map((index) => run.messages[index][1]);
        this.summaries.set(start, { ...this.#show("summary", argument, run.sizes[argument], "summary"), first, last });
      }
      for (let index = start; index < stop; index += 1) {
        this.messages[index] = this.#message(run, strategy, call, index, operation, argument);
      }
      start = stop;
    }
  }

  #message(run, strategy, call, index, operation, argument) {
    const [kind, , text, tokens, , unsent] = run.messages[index];
    const name = run.kinds[kind];
    if (unsent >= 0 && unsent <= call) return { state: "unsent", text: null, tokens: 0, cache: "" };
    if (operation === KEEP || TASK_KINDS.has(name)) return this.#show("kept", text, tokens, name);
    if (operation === MASK) {
      const placeholder = strategy.masks[argument][index];
      if (placeholder === undefined) return this.#show("kept", text, tokens, name);
      this.totals.masked += 1;
      return this.#show("masked", placeholder, run.sizes[placeholder], "placeholder");
    }
    const state = operation === SUMMARIZE ? "summarized" : "gone";
    this.totals[state] += 1;
    return { state, text: null, tokens: 0, cache: "" };
  }

  /** The next message of the request: prefixes are read from the cache, so that its place says what was paid for it. */
  #show(state, text, tokens, part) {
    const start = this.tokens;
    this.tokens += tokens;
    this.parts[part] = (this.parts[part] ?? 0) + tokens;
    return { state, text, tokens, cache: this.#cache(start, this.tokens) };
  }

  #cache(start, end) {
    if (end <= this.cached) return "read";
    if (start < this.cached) return "partly read";
    return end <= this.cached + this.written ? "written" : "new";
  }
}

class Run {
  constructor(document) {
    Object.assign(this, document);
    this.memo = new Map();
    for (const strategy of this.strategies) {
      let sum = 0;
      strategy.spent = strategy.cost.map((cost) => (sum += cost));
    }
  }

  request(strategy, call) {
    const key = `${strategy} ${call}`;
    if (!this.memo.has(key)) {
      if (this.memo.size > 50) this.memo.clear();
      this.memo.set(key, new Request(this, this.strategies[strategy], call));
    }
    return this.memo.get(key);
  }

  /** The lines of a call: messages of the history in order, each with what both strategies show of it. */
  lines(left, right, call) {
    const sides = [left, right].map((strategy) => ({
      now: this.request(strategy, call),
      before: call > 0 ? this.request(strategy, call - 1) : null,
    }));
    const upto = this.calls[call];
    const known = call > 0 ? this.calls[call - 1] : upto;
    const lines = [];
    for (let index = 0; index < upto; index += 1) {
      if (sides.some((side) => side.now.summaries.has(index))) {
        lines.push(this.#line(null, index, sides.map((side) => summary(side, index))));
      }
      const fresh = index >= known;
      lines.push(this.#line(index, index, sides.map((side) => message(side, index, fresh)), fresh));
    }
    return lines;
  }

  #line(message, place, sides, fresh = false) {
    const [left, right] = sides;
    const same = left.text === right.text && left.state === right.state && left.changed === right.changed;
    const signature = sides.map((side) => `${side.state}${side.text}${side.cache}${side.changed}`).join();
    const changed = fresh || left.changed || right.changed;
    const hidden = left.text === null && right.text === null;
    const key = message === null ? `s${place}` : `m${place}`;
    return { key, message, sides, fresh, same, hidden, changed, signature: `${key}${fresh}${signature}` };
  }
}

function message({ now, before }, index, fresh) {
  const shown = now.messages[index];
  const was = fresh ? undefined : before?.messages[index];
  return { ...shown, changed: was !== undefined && (was.text !== shown.text || was.state !== shown.state) };
}

function summary({ now, before }, index) {
  const shown = now.summaries.get(index);
  if (shown === undefined) return { state: "none", text: null, tokens: 0, cache: "", changed: false };
  return { ...shown, changed: before !== null && before.summaries.get(index)?.text !== shown.text };
}
