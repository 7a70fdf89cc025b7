// Measure language models in tfpy and its peers, in turns.
//
//   ?backend=wasm       wasm or webgpu
//   &side=tfpy,wllama   sides of language_sides.mjs; the first one is tfpy
//   &threads=1          threads of the processor
//   &prompt=128         tokens of a prompt
//   &tokens=32          tokens to generate
//   &rounds=2           how often each side is loaded
//   &repeats=3          samples after each load
//   &check=1            only compare the tokens, with the same weights on all sides; software rendering is allowed
//   &post=1             post each record to /result
//
// Each side runs in a frame, language_side.html, which is removed before the next side is loaded. A record has the
// medians of all samples of a side. Numbers of different pages cannot be compared.

/**
 * @typedef {import("./language_side.mjs").Result} Result
 * @typedef {import("./language_side.mjs").Sample} Sample
 */

const NAMES = ["tfpy", "wllama", "onnxruntime", "transformers"];
const query = new URLSearchParams(location.search);
const backend = query.get("backend") ?? "wasm";
const length = Number(query.get("prompt") ?? 128);
const tokens = Number(query.get("tokens") ?? 32);
const isCheck = query.has("check");

/** @param {object} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/** Return the GPU's name and whether it computes float16. Raise an error if a processor imitates it. */
async function gpuInfo() {
  const adapter = await /** @type {any} */ (navigator).gpu?.requestAdapter();
  if (!adapter) throw new Error("this browser has no WebGPU adapter");
  const { vendor, architecture, isFallbackAdapter } = adapter.info;
  const isSoftware = isFallbackAdapter || /swiftshader|llvmpipe/i.test(architecture);
  if (isSoftware && !isCheck) {
    throw new Error(
      "this WebGPU adapter is software, so that its speed means nothing: use &check=1",
    );
  }
  return { gpu: `${vendor} ${architecture}`, float16: adapter.features.has("shader-f16") };
}

/**
 * Load a side in a frame and return its result.
 * @param {string} side
 */
async function resultOf(side) {
  const frame = document.createElement("iframe");
  const address = new URLSearchParams(query);
  address.set("side", side);
  const posted = /** @type {Promise<Result>} */ (
    new Promise((resolve) => {
      window.onmessage = ({ source, data }) => {
        if (source === frame.contentWindow) resolve(data);
      };
    })
  );
  frame.src = `language_side.html?${address}`;
  document.body.append(frame);
  const result = await posted;
  frame.remove();
  return result;
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(sorted.length / 2)] : Number.NaN;
}

/**
 * Return how many of tfpy's tokens another side generated, until the first difference.
 * @param {Sample} expected
 * @param {Sample} other
 */
function agreeing({ ids = [], pieces = [] }, { ids: others, text = "" }) {
  let end = 0;
  const isEqual = (/** @type {number} */ i) =>
    others ? others[i] === ids[i] : text.startsWith(pieces.slice(0, i + 1).join(""));
  while (end < ids.length && isEqual(end)) end++;
  return end;
}

/**
 * Return how many tokens of all samples agree with tfpy's, until the first difference in each.
 * @param {Result} result
 * @param {Result} expected
 */
function agreement(result, expected) {
  const [own, theirs] = [expected, result].map(({ cold, samples }) => [cold, ...samples]);
  const counts = own.map((sample, i) => agreeing(sample, theirs[i]));
  return { agree: counts.reduce((sum, count) => sum + count, 0), of: own.length * tokens };
}

/** @param {Sample} sample */
const madeBy = ({ ids, text }) => ids ?? text;

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(2));

/**
 * Return the speeds of a side in all rounds.
 * @param {Result[]} results
 */
function speeds(results) {
  const samples = results.flatMap((result) => result.samples);
  const first = median(samples.map((sample) => sample.first));
  const rate = median(samples.map(({ first, last }) => (tokens - 1) / (last - first)));
  const whole = median(samples.flatMap((sample) => sample.whole ?? []));
  return {
    open_ms: rounded(median(results.map(({ open }) => open))),
    load_ms: rounded(median(results.map(({ load }) => load))),
    cold_ms: rounded(median(results.map(({ cold }) => cold.first))),
    first_ms: rounded(first),
    first_least_ms: rounded(Math.min(...samples.map((sample) => sample.first))),
    prefill_per_s: rounded((length / first) * 1e3),
    decode_per_s: rounded(rate * 1e3),
    ...(whole > first && { whole_per_s: rounded(((tokens - 1) / (whole - first)) * 1e3) }),
    wasm_bytes: median(results.map(({ bytes }) => bytes.wasm)),
    gpu_bytes: median(results.map(({ bytes }) => bytes.gpu)),
  };
}

async function main() {
  const sides = query.get("side")?.split(",") ?? NAMES;
  const about = {
    work: "language",
    backend,
    threads: Number(query.get("threads") ?? 1),
    prompt: length,
    tokens,
    browser: navigator.userAgent,
    ...(backend === "webgpu" && (await gpuInfo())),
  };
  /** @type {Record<string, Result[]>} */
  const found = Object.fromEntries(sides.map((side) => [side, []]));
  for (let round = 0; round < Number(query.get("rounds") ?? 2); round++) {
    for (const side of sides) {
      const last = found[side].at(-1);
      if (!last?.failure) found[side].push(await resultOf(side));
    }
  }
  const expected = found.tfpy?.[0];
  for (const side of sides) {
    const failed = found[side].find(({ failure }) => failure);
    if (failed) {
      await report({ ...about, side, failure: failed.failure });
      continue;
    }
    const [{ name, files }] = found[side];
    await report({
      ...{ ...about, side, name, files },
      ...(expected && !expected.failure && agreement(found[side][0], expected)),
      ...(isCheck ? { made: madeBy(found[side][0].cold) } : speeds(found[side])),
    });
  }
}

try {
  await main();
  await report({ done: "" });
} catch (error) {
  await report({ done: String(error) });
}
