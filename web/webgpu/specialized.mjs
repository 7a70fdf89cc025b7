/**
 * Pipelines specialized for the sizes of one step.
 *
 * A kernel reads sizes from the uniform `p`, so that it is compiled once for all shapes. If `p` is a constant
 * instead, divisions by it become multiplications, and loops over it are unrolled. Kernels that gain from this
 * are compiled again after a Program has run often, one after another, while calls use the general pipelines.
 * Both compute the same bits, so the time of the switch does not matter.
 *
 * @typedef {import("./pipelines.mjs").Kernel} Kernel
 * @typedef {import("./pipelines.mjs").PipelineCache} PipelineCache
 * @typedef {import("./program.mjs").Program} Program
 * @typedef {import("./program.mjs").Step} Step
 */

/** The kernels that gain, with their speed-up on an NVIDIA H200. */
const GAINERS = new Set([
  "pad", // 1.5 to 2.9
  "gather", // 1.1 to 1.4
  "scan", // 1.4
  "resample", // 1.3
  "transpose_tile", // 1.05 to 1.3
  "reduce", // 1.04 to 1.07
  "softmax_group", // 1 to 1.1
  "strided", // 1 to 1.06
  "concat", // 1 to 1.06
  "softmax", // 1.04
  "matvec", // 1 to 1.04
]);

/** Parameter of kernels with windows. Convolutions gain 1.1 to 1.2, their gradients 1.1 to 1.4, others 1.06 to 1.1. */
const WINDOW = "filter_w";

/** Tiles gain only if threads share a sum's depth. Otherwise sums fill the registers: 0.7 to 0.8. */
const TILE = "matmul_tile";
const SHARED = "join_sums(";

/** Number of runs of a Program after which specialization pays off. */
const ENOUGH_RUNS = 32;

/** Maximum number of such pipelines of all Programs. */
const MOST = 256;

const MEMBERS = /^struct Params \{([^}]*)\}$/m;
const UNIFORM = /^@group\(0\) @binding\(0\) var<uniform> p: Params;$/m;

/** @param {Step} step */
function gains({ kernel: { text }, values }) {
  if (text.name === TILE && !text.source.includes(SHARED)) return false;
  return GAINERS.has(text.name) || WINDOW in values;
}

export class Specialized {
  /** @param {PipelineCache} pipelines */
  constructor(pipelines) {
    this.pipelines = pipelines;
    /** Number of such pipelines. */
    this.count = 0;
    /** Resolves when the last Program is done. */
    this.last = Promise.resolve();
  }

  /**
   * Count a run of a Program.
   *
   * @param {Program} program
   */
  ran(program) {
    if (++program.runs !== ENOUGH_RUNS) return;
    const steps = program.steps.filter(gains);
    if (steps.length > 0) this.last = this.last.then(() => this.replace(program, steps));
  }

  /**
   * Remove a closed Program's pipelines from the count.
   *
   * @param {Program} program
   */
  closed(program) {
    this.count -= program.pipelines;
  }

  /**
   * Replace the kernels of steps by specialized ones, as far as these compile.
   *
   * @param {Program} program
   * @param {Step[]} steps
   */
  async replace(program, steps) {
    /** @type {Map<string, Kernel | null>} kernels by source: steps of the same sizes share one */
    const made = new Map();
    for (const step of steps) {
      const { text } = step.kernel;
      const source = withConstants(text.source, step.values);
      if (source === null) continue;
      if (!made.has(source)) {
        if (this.count === MOST) return;
        const kernel = await this.pipelines.trial({ ...text, source });
        if (program.isClosed) return;
        made.set(source, kernel);
        this.count += Number(kernel !== null);
        program.pipelines += Number(kernel !== null);
      }
      step.kernel = made.get(source) ?? step.kernel;
    }
  }
}

/**
 * Return the source of a kernel with its parameters as constants; null if it has none.
 *
 * @param {string} source
 * @param {Record<string, number | number[]>} params parameters as integers; floats are given as their bits
 * @returns {string | null}
 */
export function withConstants(source, params) {
  const members = [...(MEMBERS.exec(source)?.[1].matchAll(/(\w+): (\w+)/g) ?? [])];
  if (!UNIFORM.test(source) || !members.every(([, name]) => name in params)) return null;
  const values = members.map(([, name, type]) => constant(params[name], type));
  return source.replace(UNIFORM, `const p = Params(${values.join(", ")});`);
}

/**
 * @param {number | number[]} value
 * @param {string} type
 * @returns {string}
 */
function constant(value, type) {
  if (Array.isArray(value)) return `array(${value.map((n) => `vec4<i32>(${n}, 0, 0, 0)`).join()})`;
  return type === "f32" ? `bitcast<f32>(i32(${value}))` : `${value}`;
}
