// A backend of the built runtime behind a line protocol: one JSON command a line on standard input,
// one JSON answer a line on standard output. Bytes are base64.
// Arguments: the assets' folder, the variant, when elementwise kernels are compiled.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";
import { trial } from "../../e2e/trial.mjs";

const [assets, variant, codegen] = process.argv.slice(2);
const runtime = runInThisContext(readFileSync(join(assets, "runtime.js"), "utf8"));
const wasm = new Uint8Array(readFileSync(join(assets, `xnnpack-${variant}.wasm`)));
const backend = await runtime.openWasm({ variant, wasm, codegen });

/** A heap with the bytes at an address that is not 0. @param {string} base64 */
function heapOf(base64) {
  const bytes = Buffer.from(base64, "base64");
  const heap = new Uint8Array(bytes.length + 64);
  heap.set(bytes, 64);
  return heap.buffer;
}

/** @param {number} program @param {number[]} slots @param {number} times */
function timed(program, slots, times) {
  const milliseconds = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    const out = backend.run(program, ...slots);
    milliseconds.push(performance.now() - start);
    backend.free(out);
  }
  return milliseconds;
}

const commands = {
  write: ({ data, count, dtype }) => backend.write(heapOf(data), 64, count, dtype),
  read: ({ slot, nbytes }) => {
    const heap = new ArrayBuffer(nbytes);
    backend.read(heap, 0, slot);
    return Buffer.from(heap).toString("base64");
  },
  free: ({ slots }) => backend.free(...slots),
  register: ({ json, data, nbytes }) => backend.register(json, heapOf(data), 64, nbytes),
  release: ({ program }) => backend.release(program),
  run: ({ program, slots }) => backend.run(program, ...slots),
  time: ({ program, slots, times }) => timed(program, slots, times),
  memory: () => backend.memory(),
  trials: ({ programs }) =>
    programs.map(([json, data]) => trial(backend, json, new Uint8Array(Buffer.from(data, "base64")))),
  /** As a browser that compiles no module of this size at once. */
  refuseModules: () => {
    WebAssembly.Module = class {
      constructor() {
        throw new RangeError("too large");
      }
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...args } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await commands[command](args)) ?? null };
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
backend.close();
