// Line plots of a run's results.

import "./uplot/language.mjs";
import uPlot from "./uplot/uPlot.esm.js";

const HEIGHT = 300;

/** Maximum number of points of a line; above it, every second point is removed. */
const MOST = 2000;

/** Length of the x-axis of a plot with at most one point. */
const EMPTY = 10;

/** Allowed distances of ticks on the x-axis. */
const WHOLE = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((k) => k * 10 ** n)).flat();

/** Width of a tick's character in pixels. */
const CHARACTER = 7;

/** Allowed numbers of decimal places of a tick. */
const DIGITS = [0, 1, 2, 3, 4, 5];

/**
 * @typedef {object} Style style of a plot
 * @property {boolean} points
 * @property {[number, number | null]} range range of the y-axis; an end of null follows the values
 * @property {(value: number, digits: number) => string} format formats a value with this number of decimal
 *   places
 * @property {string[]} [lines] names of the lines; default: one line
 */

/**
 * Format a number with this number of decimal places, the same on all pages.
 * @param {number} value
 * @param {number} digits
 */
export const fixed = (value, digits) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Colors of lines in style.css. */
const COLORS = ["--accent", "--good"];

/**
 * Create a plot of lines that grow; it is redrawn at most once per frame.
 * @param {HTMLElement} container
 * @param {Style} style
 */
export function openPlot(container, style) {
  const color = (/** @type {string} */ name) => () =>
    getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = { stroke: color("--quiet"), grid: { stroke: color("--line"), width: 1 } };
  const lines = style.lines ?? [""];
  /** @type {[number[], ...number[][]]} */
  const data = [[], ...lines.map(() => [])];
  const name = container.getAttribute("aria-label");
  /** @type {(ticks: number[], step: number) => string[]} */
  const formatted = (ticks, step) => {
    const digits = DIGITS.find((n) => Number((step * 10 ** n).toFixed(6)) % 1 === 0) ?? 0;
    return ticks.map((value) => style.format(value, digits));
  };
  // Never decreases: uPlot repeats its layout up to three times, and reserves room for the ticks of the second.
  let longest = 2;
  const plot = new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: {
          time: false,
          range: (_, min, max) => [min ?? 0, max > min ? max : (min ?? 0) + EMPTY],
        },
        y: { range: (_, __, max) => [style.range[0], style.range[1] ?? ((max ?? 1) || 0.1)] },
      },
      axes: [
        { ...axis, size: 36, incrs: WHOLE, values: (_, ticks) => ticks.map((t) => fixed(t, 0)) },
        {
          ...axis,
          size: (_, texts) => {
            longest = Math.max(longest, ...(texts ?? []).map((t) => t.length));
            return 24 + CHARACTER * longest;
          },
          values: (_, ticks, __, ___, step) => formatted(ticks, step),
        },
      ],
      series: [
        {},
        ...COLORS.slice(0, lines.length).map((name) => ({
          stroke: color(name),
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
  const shown = (value) =>
    value === undefined || Number.isNaN(value) ? "none yet" : style.format(value, 3);

  /** Number of points that were added, and of how many points one is kept. */
  let given = 0;
  let stride = 1;

  function thin() {
    for (const values of data) {
      values.splice(0, values.length, ...values.filter((_, i) => i % 2 === 0));
    }
    stride *= 2;
  }

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
      if (given++ % stride) return;
      for (const [i, value] of values.entries()) data[i].push(value);
      if (data[0].length > MOST) thin();
      redraw();
    },
    clear() {
      for (const values of data) values.length = 0;
      given = 0;
      stride = 1;
      redraw();
    },
  };
}
