// tfpy-run.mjs in node behind a line protocol: one JSON command per line on standard input, one JSON
// answer per line on standard output. Tensors' numbers are base64.
// Argument: the assets' folder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [assets] = process.argv.slice(2);
const fetched = globalThis.fetch;
globalThis.fetch = async (source, ...rest) => {
  const url = String(source.url ?? source);
  return url.startsWith("file:") ? new Response(readFileSync(new URL(url))) : fetched(source, ...rest);
};
const { loadProgram } = await import(pathToFileURL(join(assets, "tfpy-run.mjs")).href);

const ARRAYS = { float32: Float32Array, int32: Int32Array, bool: Uint8Array, complex64: Float32Array };

/** Converts an input of a command, { dtype, data, shape } or plain JSON. */
function inputOf(given) {
  if (given?.base64 === undefined) return given;
  const bytes = new Uint8Array(Buffer.from(given.base64, "base64"));
  return { data: new ARRAYS[given.dtype](bytes.buffer), shape: given.shape };
}

/** Converts the inputs of a command: by name, or by position. */
function inputsOf(inputs) {
  if (Array.isArray(inputs)) return inputs.map(inputOf);
  if (typeof inputs !== "object" || inputs === null || inputs.base64) return inputOf(inputs);
  return Object.fromEntries(Object.entries(inputs).map(([name, one]) => [name, inputOf(one)]));
}

function tensor({ dtype, shape, data }) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { dtype, shape, base64: bytes.toString("base64") };
}

/** Maximum number of elements of an input. Larger ones only take longer. */
const MAX_ELEMENTS = 1 << 20;

/** Numbers for the inputs of a signature. */
function someInputs({ inputs }) {
  const counts = inputs.map(({ shape }) => shape.reduce((a, b) => a * b, 1));
  if (counts.some((count) => count > MAX_ELEMENTS)) return null;
  return Object.fromEntries(
    inputs.map(({ name, dtype, shape }, i) => {
      const length = dtype === "complex64" ? 2 * counts[i] : counts[i];
      return [name, { data: ARRAYS[dtype].from({ length }, (_, k) => (k % 3) + 1), shape }];
    }),
  );
}

/** Tries a corrupt file: it is rejected, or runs and leaves nothing behind (see e2e/trial.mjs). */
async function trial(file) {
  const verdict = { ran: false, message: "", wrong: [] };
  let one;
  try {
    one = await loadProgram(file, { threads: 1 });
    const { slots } = one.memory();
    // A corrupt condition may cause an endless loop, which ends with the program.
    const end = setTimeout(() => one.dispose(), 300);
    try {
      for (const [name, [signature]] of Object.entries(one.functions)) {
        const inputs = someInputs(signature);
        if (inputs === null) continue;
        for (let call = 0; call < 2; call++) await one.run(inputs, name);
      }
      verdict.ran = true;
    } finally {
      clearTimeout(end);
      const left = one.memory().slots - slots;
      if (left > 0) verdict.wrong.push(`left slots: ${left}`);
    }
  } catch (error) {
    verdict.message = `${error.name}: ${error.message}`;
  } finally {
    one?.dispose();
  }
  return verdict;
}

let model;
const commands = {
  async load({ path, options }) {
    const heard = [];
    model?.dispose();
    model = await loadProgram(pathToFileURL(path), {
      ...options,
      onProgress: (progress) => heard.push(progress),
    });
    const { backend, variant, report, functions, variables } = model;
    return { backend, variant, report, functions, variables, heard };
  },
  async run({ inputs, name }) {
    const found = await model.run(inputsOf(inputs), name);
    return Object.fromEntries(Object.entries(found).map(([key, one]) => [key, tensor(one)]));
  },
  read: async ({ name }) => tensor(await model.read(name)),
  write: ({ name, value }) => model.write(name, inputOf(value)),
  save: async () => Buffer.from(await model.save()).toString("base64"),
  memory: () => model.memory(),
  async trials({ files }) {
    const verdicts = [];
    for (const file of files) {
      verdicts.push(await trial(new Uint8Array(Buffer.from(file, "base64"))));
    }
    return verdicts;
  },
  /** Loads corrupt files from their bytes, and runs those that load. Returns the error messages. */
  async broken({ files, inputs, name }) {
    const found = [];
    for (const file of files) {
      try {
        const one = await loadProgram(new Uint8Array(Buffer.from(file, "base64")));
        try {
          // A corrupt condition may cause an endless loop, which ends with the program.
          const end = setTimeout(() => one.dispose(), 300);
          await one.run(inputsOf(inputs), name).finally(() => clearTimeout(end));
          found.push("");
        } finally {
          one.dispose();
        }
      } catch (error) {
        found.push(`${error.name}: ${error.message}`);
      }
    }
    return found;
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
model?.dispose();
process.stdout.write("ended\n");
