// The two plots of a training run.

import uPlot from "../uplot/uPlot.esm.js";

const HEIGHT = 300;

/**
 * A line that grows; it is redrawn at most once a frame.
 * @param {HTMLElement} container
 * @param {{points: boolean, range: [number, number | null], format: (value: number) => string}} style
 */
export function openPlot(container, style) {
  const colour = (/** @type {string} */ name) => () =>
    getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 } };
  /** @type {[number[], number[]]} */
  const data = [[], []];
  const plot = new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false },
        y: { range: (_, __, max) => [style.range[0], style.range[1] ?? Math.max(max ?? 0, 0.1)] },
      },
      axes: [axis, { ...axis, size: 52, values: (_, ticks) => ticks.map(style.format) }],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: style.points } }],
    },
    data,
    container,
  );
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
