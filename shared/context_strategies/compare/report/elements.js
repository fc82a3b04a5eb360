/* What the page is built of: elements, lines of a plot, and numbers as text. */

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** An element; what is given as a string becomes text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const count = (number) => number.toLocaleString("en");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const money = (cost) => (cost < 0.1 ? cost.toFixed(4) : cost < 10 ? cost.toFixed(3) : cost.toFixed(2));

function curve(name, sizes, top) {
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("class", name);
  line.setAttribute("points", sizes.map((size, call) => `${across(call, sizes.length)},${(98 - (96 * size) / top).toFixed(1)}`).join(" "));
  return line;
}

const across = (call, calls) => (calls > 1 ? (1000 * call) / (calls - 1) : 500).toFixed(1);
