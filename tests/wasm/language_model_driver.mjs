// Language models of tfpy-run.mjs in node behind a line protocol: one JSON command per line on standard
// input, one JSON answer per line on standard output. Argument: the assets' folder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [assets] = process.argv.slice(2);
globalThis.fetch = async (source) => new Response(readFileSync(new URL(source.url ?? source)));
const { loadLanguageModel } = await import(pathToFileURL(join(assets, "tfpy-run.mjs")).href);

let model;

async function all(parts) {
  const found = [];
  for await (const part of parts) found.push(part);
  return found;
}

const commands = {
  async load({ path }) {
    model?.dispose();
    model = await loadLanguageModel(pathToFileURL(path), { threads: 1 });
    const { maxLength, candidates, hasChat } = model;
    const { backend, variables } = model.program;
    return { maxLength, candidates, hasChat, backend, variables: variables.map(({ name }) => name) };
  },
  encode: ({ texts }) => texts.map((text) => model.encode(text)),
  decode: ({ rows }) => rows.map((row) => model.decode(row)),
  tokens: ({ prompt, options }) => all(model.tokens(prompt, options)),
  generate: ({ prompt, options }) => all(model.generate(prompt, options)),
  chat: ({ messages, options }) => all(model.chat(messages, options)),
  /** Draws the token after a prompt for several uniform numbers. */
  async drawn({ prompt, draws }) {
    await all(model.tokens(prompt, { maxTokens: 1 }));
    const tokens = model.encode(prompt);
    const given = { token: [tokens.at(-1)], position: tokens.length - 1 };
    const found = [];
    for (const draw of draws) {
      found.push((await model.program.run({ ...given, ...draw }, "sample")).token.data[0]);
    }
    return found;
  },
  /** Generates the texts of several prompts in turns, one token each. */
  async alternate({ prompts }) {
    const rows = prompts.map((prompt) => ({ found: [], parts: model.tokens(prompt) }));
    for (let going = true; going; ) {
      const next = await Promise.all(rows.map(({ parts }) => parts.next()));
      next.forEach(({ value, done }, i) => done || rows[i].found.push(value));
      going = next.some(({ done }) => !done);
    }
    return rows.map(({ found }) => found);
  },
  /** Stops a text after some tokens, with a signal and by leaving the loop. */
  async stopped({ prompt, count }) {
    const control = new AbortController();
    const found = [];
    let error = "";
    try {
      for await (const token of model.tokens(prompt, { signal: control.signal })) {
        found.push(token);
        if (found.length === count) control.abort();
      }
    } catch (caught) {
      error = caught.name;
    }
    const left = [];
    for await (const token of model.tokens(prompt)) {
      left.push(token);
      if (left.length === count) break;
    }
    return { found, error, left };
  },
  async saved() {
    const bytes = await model.program.save();
    const { slots } = model.program.memory();
    const again = await loadLanguageModel(bytes, { threads: 1 });
    const found = { bytes: bytes.length, slots, again: again.program.memory().slots };
    again.dispose();
    return found;
  },
  /** Loads corrupt files, and generates a few tokens with those that load. Returns the errors. */
  async broken({ files, prompt }) {
    const found = [];
    for (const file of files) {
      let one;
      try {
        one = await loadLanguageModel(new Uint8Array(Buffer.from(file, "base64")), { threads: 1 });
        await all(one.tokens(prompt, { maxTokens: 3 }));
        found.push("");
      } catch (error) {
        found.push(`${error.name}: ${error.message}`);
      } finally {
        one?.dispose();
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
