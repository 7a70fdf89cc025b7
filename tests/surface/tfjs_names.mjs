// Prints the public names of TensorFlow.js's package as JSON: `node tfjs_names.mjs FOLDER`, where
// FOLDER is a folder of node_modules. Members belong to classes that programs use.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.argv[2];
console.warn = () => {};
const tf = createRequire(join(modules, "tensorflow.js"))("@tensorflow/tfjs");

const CLASSES = {
  "tfjs-core": ["Tensor", "Variable", "TensorBuffer", "Optimizer", "Environment"],
  "tfjs-layers": ["LayersModel", "Sequential"],
  "tfjs-converter": ["GraphModel"],
  "tfjs-data": ["Dataset"],
};
const MEMBER = /^ {4}((?:\w+ )*)(\w+)[?(<:]/gm;
const KERNEL = /^_?[A-Z][A-Za-z\d]*$/;

/** Returns the text of the type declaration file of a class. */
function declaration(folder, name) {
  const dist = join(modules, "@tensorflow", folder, "dist");
  const pattern = new RegExp(`export declare (abstract )?class ${name}\\b.*?^}`, "ms");
  for (const file of readdirSync(dist, { recursive: true })) {
    const text = file.endsWith(".d.ts") ? readFileSync(join(dist, file), "utf8") : "";
    const found = pattern.exec(text);
    if (found) return found[0];
  }
  throw Error(`no class ${name}`);
}

function* members(folder, name) {
  for (const [, words, member] of declaration(folder, name).matchAll(MEMBER)) {
    if (!/private|protected/.test(words) && member !== "constructor") yield `${name}.${member}`;
  }
}

/** Returns the members of an object, with the members of nested objects. */
function* names(object, prefix, depth) {
  for (const [key, value] of Object.entries(object)) {
    const isSpace = value && typeof value === "object" && depth > 0;
    if (isSpace) yield* names(value, `${prefix}${key}.`, depth - 1);
    else if (typeof value === "string" && !prefix && KERNEL.test(key)) yield "names of kernels";
    else yield prefix + key;
  }
}

const all = new Set(names(tf, "", 2));
for (const [folder, classes] of Object.entries(CLASSES)) {
  for (const name of classes) for (const member of members(folder, name)) all.add(member);
}
for (const op of Object.keys(tf.Tensor.prototype)) all.add(`Tensor.${op}`);
for (const optimizer of Object.getOwnPropertyNames(tf.train)) {
  if (!(optimizer in Function.prototype)) all.add(`train.${optimizer}`);
}
console.log(JSON.stringify([...all]));
