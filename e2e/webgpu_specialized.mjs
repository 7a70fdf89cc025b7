// Page-side half of test_webgpu_specialized.py: runs a Program until its kernels are specialized.

import { nextTask } from "../web/common/turns.mjs";
import { Specialized } from "../web/webgpu/specialized.mjs";
import { openWebgpu } from "../web/webgpu/webgpu.mjs";
import { plain, write } from "./tensors.mjs";

/** @typedef {import("./tensors.mjs").Call} Call */

const nothing = new ArrayBuffer(0);

/** A backend whose additional pipelines are held back until they are released. */
async function open() {
  const backend = await openWebgpu();
  const { gpu } = /** @type {any} */ (backend);
  const make = gpu.createComputePipelineAsync.bind(gpu);
  /** @type {(() => void)[]} */
  const held = [];
  const asked = { count: 0, holds: false };
  let made = 0;
  gpu.createComputePipelineAsync = async (/** @type {any} */ description) => {
    asked.count++;
    try {
      if (asked.holds) await /** @type {Promise<void>} */ (new Promise((go) => held.push(go)));
      return await make(description);
    } finally {
      made++;
    }
  };
  /** Releases them, and waits until no more are requested. */
  const release = async () => {
    asked.holds = false;
    for (const go of held.splice(0)) go();
    for (let turns = 0; turns < 3; turns = made === asked.count ? turns + 1 : 0) await nextTask();
  };
  return { backend, asked, release };
}

/**
 * Returns the pipelines that a function's dispatches use.
 *
 * @param {() => Promise<unknown>} act
 */
async function used(act) {
  const { prototype } = GPUComputePassEncoder;
  const { setPipeline } = prototype;
  /** @type {Set<GPUComputePipeline>} */
  const found = new Set();
  prototype.setPipeline = function (pipeline) {
    found.add(pipeline);
    return setPipeline.call(this, pipeline);
  };
  try {
    await act();
  } finally {
    prototype.setPipeline = setPipeline;
  }
  return found;
}

/**
 * Returns results and pipelines of Programs before, during and after specialization.
 *
 * @param {Call[]} calls of Programs with one output
 * @param {number} runs number of runs after which specialization begins
 */
export async function stages(calls, runs) {
  const { backend, asked, release } = await open();
  const found = [];
  for (const { json, inputs } of calls) {
    const program = await backend.registerAsync(json, nothing, 0, 0, () => {});
    const slots = inputs.map((input) => write(backend, input));
    const run = async () => {
      const output = backend.run(program, ...slots);
      const values = await backend.readAsync(output, plain);
      backend.free(output);
      return values;
    };
    asked.holds = true;
    const general = await used(async () => {
      for (let i = 1; i < runs; i++) backend.free(backend.run(program, ...slots));
      await backend.finish();
    });
    const before = asked.count;
    const [first, later] = [await run(), await run()];
    const during = asked.count;
    await release();
    /** @type {(number | string)[]} */
    let last = [];
    const special = await used(async () => {
      last = await run();
    });
    const alive = backend.memory().specialized;
    backend.release(program);
    backend.free(...slots);
    found.push({
      values: [first, later, last],
      asked: [during - before, asked.count - before],
      replaced: [...special].filter((pipeline) => !general.has(pipeline)).length,
      kept: [...special].filter((pipeline) => general.has(pipeline)).length,
      alive,
      left: backend.memory().specialized,
    });
  }
  await backend.finish(); // throws if anything failed
  backend.close();
  return found;
}

/**
 * Closes a Program, and then the backend, while a pipeline for it is being created.
 *
 * @param {Call} call
 * @param {number} runs
 */
export async function closedMeanwhile({ json, inputs }, runs) {
  const { backend, asked, release } = await open();
  const counts = [];
  for (const close of [(/** @type {number} */ id) => backend.release(id), () => backend.close()]) {
    const program = await backend.registerAsync(json, nothing, 0, 0, () => {});
    const slots = inputs.map((input) => write(backend, input));
    asked.holds = true;
    const before = asked.count;
    for (let i = 0; i < runs; i++) backend.free(backend.run(program, ...slots));
    await backend.finish();
    close(program);
    await release();
    counts.push([asked.count - before, backend.memory().specialized]);
  }
  return counts;
}

/**
 * Counts the pipelines of Programs with one step each, and again after half of them are closed.
 *
 * @param {number} programs
 * @param {string} source
 * @param {number} runs
 */
export async function most(programs, source, runs) {
  const trial = async (/** @type {any} */ text) => ({ text });
  const specialized = new Specialized(/** @type {any} */ ({ trial }));
  const made = Array.from({ length: programs }, (_, number) => ({
    steps: [{ kernel: { text: { name: "strided", source } }, values: { number } }],
    runs: 0,
    pipelines: 0,
    isClosed: false,
  }));
  for (let i = 0; i < runs; i++) {
    for (const program of made) specialized.ran(/** @type {any} */ (program));
  }
  await specialized.last;
  const { count } = specialized;
  for (const program of made.slice(programs / 2)) specialized.closed(/** @type {any} */ (program));
  return [count, specialized.count];
}
