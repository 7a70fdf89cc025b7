// Runs Programs in two variants of the wasm runtime, in a page or in a module worker of it.

/** @typedef {{json: string, inputs: {count: number, dtype: string}[], count: number}} Job */

/** @param {string} name */
async function asset(name) {
  const response = await fetch(new URL(`../src/tfpy/assets/${name}`, import.meta.url));
  return response.arrayBuffer();
}

/** Load the built runtime, which is the text of an expression. */
async function loadRuntime() {
  const text = new TextDecoder().decode(await asset("runtime.js"));
  const url = URL.createObjectURL(new Blob(["export default ", text], { type: "text/javascript" }));
  return (await import(url)).default;
}

/**
 * Numbers in -1..1 that depend on the seed only.
 * @param {number} count
 * @param {number} seed
 */
function noise(count, seed) {
  const values = new Float32Array(count);
  let state = seed + 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = state / 2 ** 31 - 1;
  }
  return values;
}

/**
 * @param {import("../web/common/backend.mjs").Backend & import("../web/common/backend.mjs").BlockingRead} backend
 * @param {Job} job
 */
function runJob(backend, job) {
  const program = backend.register(job.json, new ArrayBuffer(0), 0, 0);
  const slots = job.inputs.map(({ count, dtype }, i) =>
    backend.write(noise(count, i).buffer, 0, count, dtype),
  );
  const milliseconds = [];
  const result = new Float32Array(job.count);
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    const out = backend.run(program, ...slots);
    milliseconds.push(performance.now() - start);
    backend.read(result.buffer, 0, out);
    backend.free(out);
  }
  const { generated } = backend.memory();
  backend.free(...slots);
  backend.release(program);
  return { result, generated, milliseconds: Math.min(...milliseconds) };
}

/**
 * For each job: the largest difference between the variants, relative to the largest result, both
 * durations in milliseconds, and the number of generated functions. Also returns the memory of the
 * second variant, which has threads and generates elementwise kernels; the first interprets them.
 * @param {string[]} variants
 * @param {Job[]} jobs
 * @param {number} threads
 */
export async function compare(variants, jobs, threads) {
  const runtime = await loadRuntime();
  const backends = [];
  for (const [i, variant] of variants.entries()) {
    const wasm = new Uint8Array(await asset(`xnnpack-${variant}.wasm`));
    const codegen = i === 0 ? "never" : "always";
    backends.push(await runtime.openWasm({ variant, wasm, threads, codegen }));
  }
  const findings = [];
  for (const job of jobs) {
    const [one, other] = [runJob(backends[0], job), runJob(backends[1], job)];
    const scale = one.result.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-30);
    const difference = one.result.reduce(
      (most, v, i) => Math.max(most, Math.abs(v - other.result[i])),
      0,
    );
    findings.push({
      difference: difference / scale,
      generated: [one.generated, other.generated],
      milliseconds: [one.milliseconds, other.milliseconds],
    });
  }
  const memory = backends[1].memory();
  for (const backend of backends) backend.close();
  return { findings, memory };
}

/**
 * Does the same in a module worker.
 * @param {Parameters<typeof compare>} args
 */
export async function compareInWorker(...args) {
  const script = `import { compare } from ${JSON.stringify(import.meta.url)};
onmessage = async ({ data }) => postMessage(await compare(...data).catch((e) => String(e.stack)));
postMessage("ready");`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const next = () => new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)));
  await next();
  worker.postMessage(args);
  const answer = await next();
  worker.terminate();
  if (typeof answer === "string") throw new Error(answer);
  return answer;
}

/** Opens and closes a threaded backend several times. @param {string} variant */
export async function reopen(variant) {
  const runtime = await loadRuntime();
  const wasm = new Uint8Array(await asset(`xnnpack-${variant}.wasm`));
  for (let i = 0; i < 3; i++) {
    const backend = await runtime.openWasm({ variant, wasm, threads: 3 });
    backend.close();
  }
  return true;
}
