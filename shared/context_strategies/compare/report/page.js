/* The page around the viewer: theme, tables that sort, figures that are drawn when they come into view. */

function sortable(table) {
  const buttons = [...table.querySelectorAll("button.sort")];
  buttons.forEach((button, column) => button.addEventListener("click", () => {
    const header = button.parentElement;
    const order = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of buttons) other.parentElement.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].sort((one, other) => sign * compared(one.cells[column], other.cells[column]));
    table.tBodies[0].append(...rows);
  }));
}

function compared(one, other) {
  if (one.dataset.value === undefined || other.dataset.value === undefined) {
    return one.textContent.localeCompare(other.textContent, "en", { numeric: true });
  }
  return one.dataset.value - other.dataset.value;
}

async function drawCharts() {
  const script = element("script");
  script.textContent = await inflate(byId("plotly").textContent);
  document.head.append(script);
  const figures = JSON.parse(byId("charts").textContent);
  const boxes = [...document.querySelectorAll(".chart .plot")];
  const draw = () => Promise.all(boxes.map((box, place) => {
    const { data, layout } = figures[place];
    const ink = getComputedStyle(document.body).color;
    const themed = { ...layout, paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { color: ink } };
    return window.Plotly.react(box, data, themed, { responsive: true, displaylogo: false });
  }));
  await draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  byId("theme").addEventListener("change", draw);
}

function whenSeen(box, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: "400px" });
  observer.observe(box);
}

document.querySelectorAll("table").forEach(sortable);
byId("theme").addEventListener("change", () => {
  document.documentElement.dataset.theme = byId("theme").value;
});
if (byId("plotly")) whenSeen(document.querySelector(".chart"), drawCharts);
const runs = [...document.querySelectorAll("script.run")].map((script) => script.textContent);
if (runs.length) new Viewer(JSON.parse(byId("index").textContent), runs).start();
