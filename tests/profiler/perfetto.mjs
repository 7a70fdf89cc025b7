// Opens trace files with Perfetto's own trace processor, as ui.perfetto.dev does.
//
//   node perfetto.mjs FOLDER FILE...
//
// FOLDER has Perfetto's engine: the worker of its page (engine_bundle.node.js), the page's client of the
// engine (engine.mjs), and trace_processor.wasm. Prints a JSON list: for each file the losses and errors
// that Perfetto counted, and the slices that it would draw.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, ...files] = process.argv.slice(2);

const STATS =
  "select name, value from stats where severity in ('error', 'data_loss') and value != 0";
const SLICES = `
  select slice.ts, slice.dur, slice.name, slice.category as kind, slice.depth,
         thread.name as thread, process.name as process
  from slice
  left join thread_track on slice.track_id = thread_track.id
  left join thread using (utid)
  left join process using (upid)
  order by slice.id`;

/** Browser features that the engine's worker uses and node lacks. */
class LocalRequest {
  /** @type {ArrayBuffer | null} */
  response = null;

  /** @param {string} _method @param {string} url */
  open(_method, url) {
    this.url = url;
  }

  send() {
    const bytes = readFileSync(join(folder, /** @type {string} */ (this.url)));
    this.response = new Uint8Array(bytes).buffer;
  }
}

const scope = /** @type {any} */ (globalThis);
scope.self = scope;
scope.location = { href: pathToFileURL(folder).href };
scope.WorkerGlobalScope = Object;
scope.XMLHttpRequest = LocalRequest;
console.warn = console.info = console.log = (...texts) => console.error(...texts);

const { EngineBase } = await import(pathToFileURL(join(folder, "engine.mjs")).href);

class Engine extends EngineBase {
  mode = "WASM";
  id = "tests";

  /** @param {MessagePort} port */
  constructor(port) {
    super();
    this.port = port;
    port.onmessage = ({ data }) => this.onRpcResponseBytes(data);
  }

  /** @param {Uint8Array} data */
  rpcSendRequestBytes(data) {
    this.port.postMessage(data);
  }
}

/** @param {any} result */
function rows(result) {
  const found = [];
  const columns = result.columns();
  for (const row = result.iter({}); row.valid(); row.next()) {
    found.push(Object.fromEntries(columns.map((/** @type {string} */ c) => [c, row.get(c)])));
  }
  return found;
}

// The folder has the 32-bit engine only; newer versions of node could run the other one.
const worker = readFileSync(join(folder, "engine_bundle.node.js"), "utf8").replace(
  "= hasMemory64Support()",
  "= false",
);

/** @param {string} file */
async function opened(file) {
  runInThisContext(worker); // the worker's script: its engine takes one trace
  const { port1, port2 } = new MessageChannel();
  scope.onmessage({ data: port1 });
  const engine = new Engine(port2);
  try {
    await engine.parse(new Uint8Array(readFileSync(file)));
    await engine.notifyEof();
    return { stats: rows(await engine.query(STATS)), slices: rows(await engine.query(SLICES)) };
  } finally {
    port2.close();
  }
}

const found = [];
for (const file of files) found.push(await opened(file));
const text = JSON.stringify(found, (_, x) => (typeof x === "bigint" ? Number(x) : x));
process.stdout.write(text, () => process.exit());
