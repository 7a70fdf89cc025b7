// The two plots of a training run.

import uPlot from "../uplot/uPlot.esm.js";

const HEIGHT = 300;

/** How many digits a tick may have after the point. */
const DIGITS = [0, 1, 2, 3, 4, 5];

/**
 * A line that grows; it is redrawn at most once a frame.
 * @param {HTMLElement} container
 * @param {{points: boolean, range: [number, number | null],
 *   format: (value: number, digits: number) => string}} style the range's end is that of the values
 *   where it is null; format writes a value with so many digits after the point
 */
export function openPlot(container, style) {
  const colour = (/** @type {string} */ name) => () =>
    getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 } };
  /** @type {[number[], number[]]} */
  const data = [[], []];
  const name = container.getAttribute("aria-label");
  /** @type {(ticks: number[], step: number) => string[]} */
  const formatted = (ticks, step) => {
    const digits = DIGITS.find((n) => Number((step * 10 ** n).toFixed(6)) % 1 === 0) ?? 0;
    return ticks.map((value) => style.format(value, digits));
  };
  const plot = new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false },
        y: { range: (_, __, max) => [style.range[0], style.range[1] ?? Math.max(max ?? 1, 0.1)] },
      },
      axes: [
        axis,
        { ...axis, size: 68, values: (_, ticks, __, ___, step) => formatted(ticks, step) },
      ],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: style.points } }],
    },
    data,
    container,
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw());
  new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: HEIGHT })).observe(
    container,
  );

  let scheduled = false;
  function redraw() {
    if (!scheduled) {
      scheduled = true;
      requestAnimationFrame(() => {
        scheduled = false;
        plot.setData(data);
        const last = data[1].at(-1);
        const value = last === undefined ? "none yet" : style.format(last, 3);
        container.setAttribute("aria-label", `${name}: ${value}`);
      });
    }
  }

  return {
    /** @type {(x: number, y: number) => void} */
    add(x, y) {
      data[0].push(x);
      data[1].push(y);
      redraw();
    },
    clear() {
      data[0].length = data[1].length = 0;
      redraw();
    },
  };
}
