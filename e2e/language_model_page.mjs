// Calls of exported language models in a page and in a worker, for the tests in test_language_models.py.

import { loadLanguageModel } from "/src/tfpy/assets/tfpy-run.mjs";

/**
 * @typedef {object} Request
 * @property {string} url of the file
 * @property {import("/src/tfpy/assets/tfpy-run.mjs").LoadOptions} options
 * @property {string[]} prompts
 * @property {import("/src/tfpy/assets/tfpy-run.mjs").Message[]} [messages]
 * @property {import("/src/tfpy/assets/tfpy-run.mjs").GenerateOptions} [drawing]
 */

/**
 * Loads a file and returns the tokens after each prompt, the answer to a conversation, and drawn tokens.
 * @param {Request} request
 */
export async function answered({ url, options, prompts, messages, drawing }) {
  const model = await loadLanguageModel(url, options);
  try {
    const { slots } = model.program.memory();
    const answers = [];
    for (const prompt of prompts) answers.push(await all(model.tokens(prompt)));
    const parts = messages === undefined ? [] : await all(model.chat(messages, { maxTokens: 40 }));
    const drawn = drawing === undefined ? [] : await all(model.tokens(prompts[0], drawing));
    const left = model.program.memory().slots - slots;
    const { backend, variant } = model.program;
    return { backend, variant, answers, parts, drawn, left, inWorker };
  } finally {
    model.dispose();
  }
}

/**
 * @template T
 * @param {AsyncIterable<T>} parts
 */
async function all(parts) {
  const found = [];
  for await (const part of parts) found.push(part);
  return found;
}

/**
 * Does the same in a worker.
 * @param {Request} request
 * @returns {Promise<Awaited<ReturnType<typeof answered>>>}
 */
export function answeredInWorker(request) {
  const worker = new Worker(import.meta.url, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data === "ready") {
        worker.postMessage(request);
        return;
      }
      worker.terminate();
      if (data.error === undefined) resolve(data.result);
      else reject(new Error(data.error));
    };
    worker.onerror = (event) => reject(new Error(event.message));
  });
}

const inWorker = typeof document === "undefined";
if (inWorker) {
  globalThis.onmessage = async ({ data }) => {
    try {
      globalThis.postMessage({ result: await answered(data) });
    } catch (error) {
      globalThis.postMessage({ error: String(error) });
    }
  };
  globalThis.postMessage("ready");
}
