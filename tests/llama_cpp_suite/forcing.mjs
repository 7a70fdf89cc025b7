// Forces tokens on models with llama.cpp, and writes the most probable tokens after each of them.
// Arguments: the folder in which node-llama-cpp is installed, a file with the tokens as JSON, the file for the
// results, and GGUF files. The results have a line of JSON for each GGUF file: for each position, pairs of a token
// and its probability.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const MOST = 32;
const exact = { experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32" };
const [folder, tokensFile, results, ...files] = process.argv.slice(2);
const entry = join(folder, "node_modules", "node-llama-cpp", "dist", "index.js");
const { getLlama, LlamaLogLevel } = await import(pathToFileURL(entry).href);
const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error });
const tokens = JSON.parse(readFileSync(tokensFile, "utf8"));
const steps = tokens.map((/** @type {number} */ token) => [token, { generateNext: { probabilities: true } }]);

for (const modelPath of files) {
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: tokens.length + 1, ...exact });
  const found = await context.getSequence().controlledEvaluate(steps);
  const best = found.map((one) => [...one.next.probabilities].slice(0, MOST));
  appendFileSync(results, `${JSON.stringify(best)}\n`);
  await context.dispose();
  await model.dispose();
}
process.exit(0);
