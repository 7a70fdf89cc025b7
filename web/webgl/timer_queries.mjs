/**
 * Device times of kernels, by a timer query around the draws of each step.
 *
 * @typedef {import("../common/timing.mjs").KernelTimes} KernelTimes
 *
 * @typedef {object} Extension EXT_disjoint_timer_query_webgl2
 * @property {number} TIME_ELAPSED_EXT
 * @property {number} GPU_DISJOINT_EXT
 */

import { TIMER_QUERIES } from "../common/probe.mjs";
import { NS_PER_MS, untimed } from "../common/timing.mjs";
import { until } from "../common/turns.mjs";
import { contextLost } from "./context.mjs";

export class TimerQueries {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {Extension} extension
   */
  constructor(gl, extension) {
    this.gl = gl;
    this.extension = extension;
    /** @type {{name: string, query: WebGLQuery}[]} */
    this.steps = [];
    gl.getParameter(extension.GPU_DISJOINT_EXT); // this resets the flag
  }

  /** @param {string} name of the kernel whose draws follow */
  begin(name) {
    const query = this.gl.createQuery();
    if (query === null) throw contextLost();
    this.gl.beginQuery(this.extension.TIME_ELAPSED_EXT, query);
    this.steps.push({ name, query });
  }

  end() {
    this.gl.endQuery(this.extension.TIME_ELAPSED_EXT);
  }

  /** @returns {Promise<KernelTimes>} of all steps so far */
  async times() {
    const { gl, extension, steps } = this;
    gl.flush();
    const last = steps.at(-1);
    if (last !== undefined) {
      await until(() => {
        if (gl.isContextLost()) throw contextLost();
        return gl.getQueryParameter(last.query, gl.QUERY_RESULT_AVAILABLE);
      });
    }
    const disjoint = gl.getParameter(extension.GPU_DISJOINT_EXT);
    /** @type {[string, number, null][]} */
    const kernels = steps.map(({ name, query }) => {
      return [name, gl.getQueryParameter(query, gl.QUERY_RESULT) / NS_PER_MS, null];
    });
    for (const { query } of steps) gl.deleteQuery(query);
    if (disjoint)
      return untimed("webgl: the GPU was interrupted during the measurement; please repeat it");
    return { kernels, reason: "" };
  }
}

/**
 * Create a timer, if the browser supports timer queries.
 *
 * @param {WebGL2RenderingContext} gl
 * @returns {TimerQueries | null}
 */
export function timerQueries(gl) {
  const extension = /** @type {Extension | null} */ (gl.getExtension(TIMER_QUERIES));
  return extension && new TimerQueries(gl, extension);
}
