// The JavaScript side of tfpy as one object: bundled into the wheel, found by runtime/bridge.py.

export { bindHeap, openJson, probeJson } from "./bridge.mjs";
export { probe } from "./probe.mjs";
export { openWasm } from "./wasm.mjs";
export { openWebgl } from "./webgl.mjs";
