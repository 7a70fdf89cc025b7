/**
 * Chooses a backend as Python does: the best one that opens and for which the file has programs. The
 * report states why the others were not chosen.
 *
 * @typedef {import("./values.mjs").Backend} Backend
 * @typedef {import("./document.mjs").Target} Target
 * @typedef {import("./tfpy-run.js").LoadOptions} LoadOptions
 * @typedef {import("./tfpy-run.js").BackendReport} BackendReport
 * @typedef {import("./tfpy-run.js").Program["backend"]} Name
 */

import { defaultBudgets } from "../common/budgets.mjs";
import { probeWasm, probeWebgl, probeWebgpu } from "../common/probe.mjs";
import { refusal } from "../site/responses.mjs";
import { openWasm } from "../wasm/wasm.mjs";
import { openWebgl } from "../webgl/webgl.mjs";
import { openWebgpu } from "../webgpu/webgpu.mjs";

/** Best first. */
const NAMES = /** @type {const} */ (["webgpu", "webgl", "wasm"]);

/** Advice for a server without the wasm modules. */
const IN_ASSETS =
  "with Vite, use the plugin tfpy-web/vite; otherwise name the folder of the file in the option assets";

class Skipped extends Error {}

/**
 * @param {import("./document.mjs").Document} document
 * @param {LoadOptions} options
 * @returns {Promise<{name: Name, backend: Backend, target: Target,
 *   report: Record<string, BackendReport>}>}
 */
export async function openBackend({ targets, lacks }, options) {
  checkBudgets(options);
  const wanted = options.backend;
  if (wanted !== undefined && !NAMES.includes(wanted)) {
    throw new Error(`Backend '${wanted}' is unknown; the backends are ${NAMES.join(", ")}`);
  }
  /** @type {Record<string, BackendReport>} */
  const report = {};
  for (const name of NAMES) report[name] = { status: "not tried", reason: "" };
  for (const name of NAMES) {
    if (wanted !== undefined && wanted !== name) continue;
    const own = targets.filter((target) => target.backend === name);
    try {
      if (own.length === 0) {
        const why = Object.hasOwn(lacks, name) ? `: ${lacks[name]}` : "";
        throw new Skipped(`the file has no programs for it${why}`);
      }
      const backend = await OPEN[name](options);
      const target = own.find(({ needs }) => reaches(backend.limits, needs));
      if (target !== undefined) {
        report[name] = { status: "chosen", reason: "" };
        return { name, backend, target, report };
      }
      backend.close();
      throw new Error(unreached(backend.limits, own));
    } catch (error) {
      const status = error instanceof Skipped ? "skipped" : "failed";
      report[name] = { status, reason: error instanceof Error ? error.message : String(error) };
    }
  }
  const reasons = NAMES.map((name) => `${name}: ${report[name].reason || report[name].status}`);
  throw new Error(`No backend could be opened: ${reasons.join("; ")}`);
}

/** @param {LoadOptions} options */
function checkBudgets(options) {
  for (const name of /** @type {const} */ (["budgetBytes", "hostBytes"])) {
    const value = options[name] ?? -1;
    if (!Number.isInteger(value) || value < -1) {
      throw new TypeError(`${name} must be an integer number of bytes or -1, not ${value}`);
    }
  }
}

/**
 * Return the bytes that a backend may hold: the options, or else the defaults of pages with Python.
 *
 * @param {"gpu" | "wasm"} of
 * @param {LoadOptions} options
 */
function budgets(of, { budgetBytes, hostBytes }) {
  const found = defaultBudgets();
  return { budgetBytes: budgetBytes ?? found[of], hostBytes: hostBytes ?? found.host };
}

/**
 * @param {Record<string, number>} limits
 * @param {Record<string, number>} needs
 */
function reaches(limits, needs) {
  return Object.entries(needs).every(([limit, least]) => (limits[limit] ?? 0) >= least);
}

/**
 * Return the message for a device that meets the needs of no target.
 *
 * @param {Record<string, number>} limits
 * @param {Target[]} targets
 */
function unreached(limits, targets) {
  const { needs } = targets[targets.length - 1];
  const short = Object.entries(needs)
    .filter(([limit, least]) => (limits[limit] ?? 0) < least)
    .map(([limit, least]) => `${limit} ${least}, and it has ${limits[limit] ?? 0}`);
  return `the file has no programs that this device can run: they require ${short.join("; ")}`;
}

/**
 * @param {string} what
 * @param {string} name
 * @param {"Webgpu" | "Webgl"} api
 */
function skipSlow(what, name, api) {
  const all = `allowSoftware${api} uses it anyway`;
  throw new Skipped(`${what} (${name}): slower than wasm; ${all}`);
}

/** @type {Record<Name, (options: LoadOptions) => Promise<Backend>>} */
const OPEN = {
  async webgpu(options) {
    const { allowSoftwareWebgpu = false } = options;
    const { adapter, software } = await probeWebgpu();
    if (adapter === "") throw new Skipped("WebGPU has no adapter in this browser");
    if (software && !allowSoftwareWebgpu) skipSlow("fallback adapter", adapter, "Webgpu");
    return openWebgpu(budgets("gpu", options));
  },
  async webgl(options) {
    const { allowSoftwareWebgl = false } = options;
    const { software, renderer } = probeWebgl();
    if (software && !allowSoftwareWebgl) skipSlow("software rasterizer", renderer, "Webgl");
    return openWebgl(budgets("gpu", options));
  },
  async wasm(options) {
    const { assets = new URL(".", import.meta.url), threads = 0 } = options;
    const wasm = probeWasm();
    if (!wasm.simd) throw new Skipped("no WebAssembly SIMD in this browser");
    const base = /** @type {"simd" | "relaxed"} */ (wasm.relaxedSimd ? "relaxed" : "simd");
    const variant = wasm.threads ? /** @type {const} */ (`${base}-threads`) : base;
    const page = globalThis.document?.baseURI ?? globalThis.location?.href ?? import.meta.url;
    const folder = new URL(assets, page);
    if (!folder.pathname.endsWith("/")) folder.pathname += "/";
    const response = await fetch(new URL(`xnnpack-${variant}.wasm`, folder));
    const refused = refusal(response, IN_ASSETS);
    if (refused) throw new Error(`${response.url}: ${refused}`);
    const module = new Uint8Array(await response.arrayBuffer());
    return openWasm({ variant, wasm: module, threads, ...budgets("wasm", options) });
  },
};
