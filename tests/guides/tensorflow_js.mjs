// Run programs for TensorFlow.js: `node tensorflow_js.mjs FOLDER`, where FOLDER is node_modules. For each
// program, stdin has the kind of its input, the expressions to return, and its text.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

console.warn = () => {};
console.error = () => {};
const tf = createRequire(join(process.argv[2], "tensorflow.js"))("@tensorflow/tfjs");
await tf.setBackend("cpu");

const vector = tf.tensor([1, 2, 3]);
const w = tf.variable(tf.ones([3, 4]));
const GIVEN = {
  vector,
  z: vector.square().sum(),
  matrix: tf.ones([2, 3]),
  w,
  b: tf.zeros([4]),
  image: tf.ones([1, 8, 8, 3]),
  filter: tf.ones([3, 3, 3, 4]),
  ints: tf.tensor([1, 2], [2], "int32"),
  floats: tf.tensor([0.5, 0.5]),
  loss: (v) => v.square().sum(),
  v: tf.variable(tf.tensor([1, 2])),
  xs: tf.ones([8, 3]),
  ys: tf.ones([8, 1]),
  step: () => vector.square().dispose(),
};
const AsyncFunction = (async () => {}).constructor;

/** Return a value in a form that JSON supports. */
const plain = (value) => (value instanceof tf.Tensor ? value.arraySync() : value);

const results = [];
for (const { given, asked, text } of JSON.parse(readFileSync(0, "utf8"))) {
  const names = { tf, ...GIVEN, x: GIVEN[given].clone() };
  const run = new AsyncFunction(...Object.keys(names), `{\n${text}\nreturn [${asked.join()}];\n}`);
  results.push((await run(...Object.values(names))).map(plain));
}
process.stdout.write(JSON.stringify(results));
