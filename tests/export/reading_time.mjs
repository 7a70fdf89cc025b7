// Measures how long the runtimes take to read a document and a larger one. Prints a line of JSON,
// { name: [milliseconds, milliseconds] }. Argument: the ratio of the sizes.

import { parseDocument } from "../../web/player/document.mjs";
import { parseProgram } from "../../web/common/document.mjs";
import { BufferProgram } from "../../web/common/program.mjs";

const times = Number(process.argv[2]);

const SPEC = { name: "x", dtype: "float32", shape: [1] };
const VALUE = ["float32", 1];

/** Return an exported program with one function of one input, as JSON. */
function exported(values, steps, programs) {
  const block = { inputs: [0], outputs: [0], values: [VALUE, ...values], constants: [], steps };
  const signature = { inputs: [SPEC], outputs: [{ ...SPEC, name: "y" }], reads: [], assigns: [] };
  return JSON.stringify({
    version: 1,
    functions: [{ name: "f", signatures: [signature] }],
    state: [],
    programs,
    lacks: {},
    targets: [{ backend: "wasm", needs: {}, blocks: [[block]], adders: {} }],
  });
}

/** Many steps that stack equally many items, with one Program. */
function stacks(n) {
  const steps = [{ op: "list_make", inputs: [], outputs: [1], places: [], length: 0 }];
  for (let i = 0; i < n; i++) {
    const facts = { program: 0, count: n, item: VALUE };
    steps.push({ op: "list_stack", inputs: [1], outputs: [2 + i], ...facts });
  }
  const document = { buffers: [{ dtype: "float32", shape: [1] }], inputs: Array(n).fill(0), outputs: [0] };
  const json = exported([["list", 1], ...Array(n).fill(VALUE)], steps, [{ document }]);
  return () => parseDocument(json, new Map());
}

/** Return a GPU Program whose outputs overwrite inputs. */
function donating(n) {
  const all = Array.from({ length: n }, (_, i) => i);
  const [inputs, outputs] = [all, all.map((i) => n + i)];
  const steps = all.map((i) => ({ kernel: 0, inputs: [0], outputs: [n + i], params: {} }));
  const text = {
    version: 1,
    backend: "webgl",
    kernels: [{ name: "k", source: "", inputs: ["x"] }],
    buffers: Array(2 * n).fill({ dtype: "float32", shape: [1] }),
    constants: [],
    donations: all.slice(1).map((i) => [n + i, i]),
    ...{ inputs, outputs, steps },
  };
  return JSON.stringify(text);
}

const RULES = { backend: "webgl", maxInputs: 16, checkBuffer() {}, checkStep() {} };

function donations(n) {
  const json = donating(n);
  return () => parseProgram(json, 0, RULES);
}

function storages(n) {
  const text = { ...JSON.parse(donating(n)), donations: [] };
  const layouts = text.buffers.map(() => ({ count: 1, bucket: { bytes: 4 } }));
  return () => new BufferProgram({}, text, layouts);
}

/** Return the minimum CPU time of several runs, which other processes do not affect. */
function timed(run) {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const begin = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begin);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const found = {};
for (const [make, n] of [[stacks, 100], [donations, 300], [storages, 1000]]) {
  timed(make(n)); // compiles it
  found[make.name] = [n, n * times].map((size) => timed(make(size)));
}
console.log(JSON.stringify(found));
