/**
 * The JavaScript side of tfpy as one object, bundled into the wheel as runtime.js and loaded by
 * backends/javascript/bridge.py.
 *
 * web/common/   shared by all backends: their interface (backend.mjs), the functions that Python calls
 *                (bridge.mjs), the feature probe (probe.mjs), responses (answers.mjs), model.json
 *                (model_json.mjs), files in the browser (storage.mjs)
 * web/webgl/     one folder per backend, which exports open<Backend>
 * web/webgpu/
 * web/wasm/
 * web/site/      not part of the bundle: the page loader and the pages, which the site serves unchanged
 */

export { openWasm } from "../wasm/wasm.mjs";
export { openWebgl } from "../webgl/webgl.mjs";
export { openWebgpu } from "../webgpu/webgpu.mjs";
export { receive } from "./answers.mjs";
export { bindHeap, openJson, probeJson } from "./bridge.mjs";
export { convertModel, takeModel } from "./model_json.mjs";
export { probe } from "./probe.mjs";
export { fetchStored, offerDownload, removeFile, storedFiles, storeFile } from "./storage.mjs";
export { nextFrame } from "./turns.mjs";
