/**
 * The JavaScript side of tfpy as one object: bundled into the wheel as runtime.js, found by
 * backends/javascript/bridge.py.
 *
 * web/common/   what all backends share: their interface (backend.mjs), what Python calls
 *                (bridge.mjs), what the browser can do (probe.mjs), what addresses answer (answers.mjs),
 *                what model.json says (model_json.mjs)
 * web/webgl/     a folder for each backend, which exports open<Backend>
 * web/webgpu/
 * web/wasm/
 * web/site/      no part of it: the page loader and the pages, which the site serves as they are
 */

export { openWasm } from "../wasm/wasm.mjs";
export { openWebgl } from "../webgl/webgl.mjs";
export { openWebgpu } from "../webgpu/webgpu.mjs";
export { receive } from "./answers.mjs";
export { bindHeap, openJson, probeJson } from "./bridge.mjs";
export { convertModel, takeModel } from "./model_json.mjs";
export { probe } from "./probe.mjs";
export { nextFrame } from "./turns.mjs";
