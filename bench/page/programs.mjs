// Time the Programs of ../programs.py on the WebGL2 runtime and TensorFlow.js, without Pyodide:
//
//   ?only=matmul,conv   Programs with names that begin with these; default: all
//   &post=1             post each line of results to /result
//
// A line has the milliseconds of one run with many in the queue (`ms`), of one run with a read of its result
// (`latency`), and of the first run with compilation (`first`). `peer` has the same for TensorFlow.js.

import { openWebgl } from "/tfpy-runtime.mjs";
import * as tfjs from "./tfjs.mjs";
import { WORKS } from "./tfjs_works.mjs";

/**
 * @typedef {import("../../web/webgl/webgl.mjs").Backend} Backend
 *
 * @typedef {object} Work
 * @property {string} name
 * @property {string} program
 * @property {string} constants base64
 * @property {number[][]} inputs shapes
 * @property {{kind: string, names?: string[], args: any[]}} peer
 * @property {number} gigaflop
 *
 * @typedef {object} Contender
 * @property {() => void} run leaves work in the queue
 * @property {() => Promise<Float32Array>} read runs and reads
 * @property {() => Promise<unknown>} finish
 */

/** @type {typeof import("@tensorflow/tfjs")} */
const tf = /** @type {any} */ (globalThis).tf;

const ROUNDS = 5;
const ROUND_MS = 40;
const TOLERANCE = 1e-3;

const query = new URLSearchParams(location.search);
const only = query.get("only")?.split(",") ?? [];

/** @type {object[]} */
const lines = [];
Object.assign(globalThis, { lines });

/** @param {object} line */
async function report(line) {
  lines.push(line);
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/**
 * Return noise in [-scale, scale).
 * @param {number[]} shape
 */
function noise(shape) {
  const count = shape.reduce((a, b) => a * b, 1);
  const scale =
    shape.length === 4 && shape[0] !== 1 ? Math.sqrt(2 / (shape[0] * shape[1] * shape[2])) : 1;
  return Float32Array.from({ length: count }, () => (Math.random() * 2 - 1) * scale);
}

/**
 * @param {Backend} backend
 * @param {Work} work
 * @param {Float32Array<ArrayBuffer>[]} arrays
 * @returns {Contender & {close: () => void}}
 */
function ours(backend, work, arrays) {
  const constants = Uint8Array.from(atob(work.constants), (c) => c.charCodeAt(0));
  const slots = arrays.map((a) => backend.write(a.buffer, 0, a.length, "float32"));
  const program = backend.register(work.program, constants.buffer, 0, constants.length);
  return {
    run: () => backend.free(backend.run(program, ...slots)),
    read: async () => {
      const slot = backend.run(program, ...slots);
      const data = await backend.readAsync(slot, (elements) => elements.slice());
      backend.free(slot);
      return /** @type {Float32Array} */ (data);
    },
    finish: () => backend.finish(),
    close: () => {
      backend.free(...slots);
      backend.release(program);
    },
  };
}

/**
 * @param {Work} work
 * @param {Float32Array[]} arrays
 * @returns {() => import("@tensorflow/tfjs").Tensor}
 */
function peerRun({ peer, inputs }, arrays) {
  const { kind, names = [], args } = peer;
  const tensors = /** @type {any[]} */ (arrays.map((a, i) => tf.tensor(a, inputs[i])));
  if (kind === "mobilenet") {
    const named = Object.fromEntries(names.map((name, i) => [name, tensors[i]]));
    return WORKS.mobilenet_v1.fused(named, args[0]);
  }
  const [x, y] = tensors;
  if (kind === "matmul") return () => tf.matMul(x, y, args[0], args[1]);
  if (kind === "conv2d") return () => tf.conv2d(x, y, args[0], "same");
  if (kind === "depthwiseConv2d") return () => tf.depthwiseConv2d(x, y, args[0], "same");
  return () => {
    let result = x;
    for (let i = 0; i < args[0]; i++) result = tf.cumsum(result);
    return result;
  };
}

/**
 * @param {Work} work
 * @param {Float32Array[]} arrays
 * @returns {Contender}
 */
function theirs(work, arrays) {
  const run = peerRun(work, arrays);
  const read = async () => {
    const result = tf.tidy(run);
    const data = await result.data();
    result.dispose();
    return /** @type {Float32Array} */ (data);
  };
  return { run: () => tf.tidy(run).dispose(), read, finish: read };
}

/** @param {number[]} values */
function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/**
 * @param {() => Promise<unknown>} action
 * @returns {Promise<number>} milliseconds
 */
async function timed(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/**
 * @param {Contender} contender
 * @param {number} count
 */
function queued(contender, count) {
  return timed(async () => {
    for (let i = 0; i < count; i++) contender.run();
    await contender.finish();
  });
}

/**
 * Return the milliseconds of each side, measured in turns.
 * @param {Contender[]} contenders
 */
async function measure(contenders) {
  const counts = [];
  for (const contender of contenders) {
    let count = 1;
    for (let ms = 0; ms < ROUND_MS && count < 5000; ) {
      ms = await queued(contender, count);
      if (ms < ROUND_MS) count = Math.ceil(count * Math.min(8, (ROUND_MS * 1.2) / ms));
    }
    counts.push(count);
  }
  const found = contenders.map(() => ({
    ms: /** @type {number[]} */ ([]),
    latency: /** @type {number[]} */ ([]),
  }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, contender] of contenders.entries()) {
      found[i].ms.push((await queued(contender, counts[i])) / counts[i]);
      found[i].latency.push(await timed(contender.read));
    }
  }
  return found.map(({ ms, latency }) => ({ ms: median(ms), latency: median(latency) }));
}

/**
 * @param {Backend} backend
 * @param {Work} work
 */
async function runWork(backend, work) {
  const arrays = work.inputs.map(noise);
  tf.engine().startScope();
  /** @type {Float32Array} */
  let expected = new Float32Array();
  /** @type {Contender | undefined} */
  let peer;
  const peerFirst = await timed(async () => {
    peer = theirs(work, arrays);
    expected = await peer.read();
  });
  /** @type {Float32Array} */
  let actual = new Float32Array();
  /** @type {(Contender & {close: () => void}) | undefined} */
  let mine;
  const first = await timed(async () => {
    mine = ours(backend, work, arrays);
    actual = await mine.read();
  });
  if (peer === undefined || mine === undefined) throw new Error("not made");
  let largest = 0;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i]));
    difference = Math.max(difference, Math.abs(expected[i] - actual[i]));
  }
  const same = actual.length === expected.length && difference <= TOLERANCE * largest;
  if (!same) throw new Error(`results differ by ${difference} of ${largest}`);
  const [tfpy, tensorflowjs] = await measure([mine, peer]);
  mine.close();
  tf.engine().endScope();
  return {
    work: work.name,
    steps: JSON.parse(work.program).steps.length,
    ...tfpy,
    first,
    gflops: (work.gigaflop / tfpy.ms) * 1000,
    peer: { ...tensorflowjs, first: peerFirst },
    ratio: tensorflowjs.ms / tfpy.ms,
  };
}

async function main() {
  await tfjs.open("webgl", false);
  const backend = openWebgl();
  const response = await fetch("/programs.json");
  /** @type {Work[]} */
  const works = await response.json();
  for (const work of works) {
    if (only.length > 0 && !only.some((start) => work.name.startsWith(start))) continue;
    try {
      await report(await runWork(backend, work));
    } catch (error) {
      await report({ work: work.name, failure: String(error) });
    }
  }
  await report({
    done: true,
    agent: navigator.userAgent,
    variant: backend.variant,
    ...backend.limits,
  });
}

main().catch((error) => report({ done: true, failure: String(error?.stack ?? error) }));
