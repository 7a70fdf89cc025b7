// Plots of what a run computes.

import uPlot from "./uplot/uPlot.esm.js";

const HEIGHT = 300;

/** How many digits a tick may have after the point. */
const DIGITS = [0, 1, 2, 3, 4, 5];

/**
 * @typedef {object} Style of a plot
 * @property {boolean} points
 * @property {[number, number | null]} range the end is that of the values where it is null
 * @property {(value: number, digits: number) => string} format writes a value with so many digits
 *   after the point
 * @property {string[]} [lines] their names; default: one
 */

/** The colours of lines, by style.css. */
const COLOURS = ["--accent", "--good"];

/**
 * Lines that grow; they are redrawn at most once a frame.
 * @param {HTMLElement} container
 * @param {Style} style
 */
export function openPlot(container, style) {
  const colour = (/** @type {string} */ name) => () =>
    getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 } };
  const lines = style.lines ?? [""];
  /** @type {[number[], ...number[][]]} */
  const data = [[], ...lines.map(() => [])];
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
      series: [
        {},
        ...COLOURS.slice(0, lines.length).map((name) => ({
          stroke: colour(name),
          width: 2,
          points: { show: style.points },
        })),
      ],
    },
    data,
    container,
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw());
  new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: HEIGHT })).observe(
    container,
  );

  /** @param {number | undefined} value */
  const shown = (value) => (value === undefined ? "none yet" : style.format(value, 3));

  let scheduled = false;
  function redraw() {
    if (!scheduled) {
      scheduled = true;
      requestAnimationFrame(() => {
        scheduled = false;
        plot.setData(data);
        const last = lines.map((line, i) => `${line} ${shown(data[i + 1].at(-1))}`.trim());
        container.setAttribute("aria-label", `${name}: ${last.join(", ")}`);
      });
    }
  }

  return {
    /** @type {(x: number, ...ys: number[]) => void} */
    add(...values) {
      for (const [i, value] of values.entries()) data[i].push(value);
      redraw();
    },
    clear() {
      for (const values of data) values.length = 0;
      redraw();
    },
  };
}
