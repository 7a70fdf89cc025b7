// A backend of the built runtime behind a line protocol: one JSON command per line on standard input,
// one JSON answer per line on standard output. Bytes are exchanged in a file.
// Arguments: the assets' folder, the variant, when elementwise kernels are compiled, the file's descriptor.

import { readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";
import { trial } from "../../e2e/trial.mjs";

const [assets, variant, codegen, descriptor] = process.argv.slice(2);
const shared = Number(descriptor);
const hostBytes = 0; // so that tests can fill the heap
const runtime = runInThisContext(readFileSync(join(assets, "runtime.js"), "utf8"));
const wasm = new Uint8Array(readFileSync(join(assets, `xnnpack-${variant}.wasm`)));
const backend = await runtime.openWasm({ variant, wasm, codegen, hostBytes });
const bound = runtime.bindHeap(backend, { HEAPU8: new Uint8Array() }, () => {});

/** Return a heap with the file's bytes at an address other than 0. @param {number} nbytes */
function heapOf(nbytes) {
  const heap = new Uint8Array(nbytes + 64);
  readSync(shared, heap, 64, nbytes, 0);
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
  write: ({ nbytes, count, dtype }) => backend.write(heapOf(nbytes), 64, count, dtype),
  read: ({ slot, nbytes }) => {
    const heap = new Uint8Array(nbytes);
    backend.read(heap.buffer, 0, slot);
    writeSync(shared, heap, 0, nbytes, 0);
  },
  free: ({ slots }) => backend.free(...slots),
  register: ({ json, nbytes }) => backend.register(json, heapOf(nbytes), 64, nbytes),
  release: ({ program }) => bound.release(program),
  run: ({ program, slots }) => backend.run(program, ...slots),
  begin: ({ program, slots }) => backend.begin(program, ...slots),
  goOn: ({ run, ms }) => backend.goOn(run, ms),
  drop: ({ run }) => backend.drop(run),
  link: ({ program, links }) => bound.link(program, links),
  repeat: ({ program, count, slots }) => bound.repeat(program, count, ...slots),
  time: ({ program, slots, times }) => timed(program, slots, times),
  memory: () => backend.memory(),
  trials: async ({ programs }) => {
    const verdicts = [];
    for (const [json, data] of programs) {
      verdicts.push(await trial(backend, json, new Uint8Array(Buffer.from(data, "base64"))));
    }
    return verdicts;
  },
  /** Behaves like a browser that compiles no module of this size synchronously. */
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
    answer = { error: `${error.name}: ${error.message}`, step: error.step };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
backend.close();
process.stdout.write("ended\n");
