// Unpack the models of nsfwjs, which are scripts that export values: unpack_nsfwjs.mjs MODELS TARGET.
//
// Each script runs in a new context without access to anything else. The files of weights are written
// to TARGET/NAME, and the model to model.json there (NAME.json for a graph model).

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";

const [models, target] = process.argv.slice(2);

/** Return the value that a script exports. @param {string} path */
function exported(path) {
  const module = { exports: /** @type {any} */ ({}) };
  runInNewContext(readFileSync(path, "utf8"), { module, exports: module.exports });
  return module.exports.default ?? module.exports;
}

for (const name of ["mobilenet_v2", "mobilenet_v2_mid", "inception_v3"]) {
  mkdirSync(join(target, name), { recursive: true });
  const model = exported(join(models, name, "model.min.js"));
  const file = model.format === "graph-model" ? name : "model";
  writeFileSync(join(target, name, `${file}.json`), JSON.stringify(model));
  for (const path of model.weightsManifest.flatMap((/** @type {any} */ group) => group.paths)) {
    const text = exported(join(models, name, `${path}.min.js`));
    writeFileSync(join(target, name, path), Buffer.from(text, "base64"));
  }
}
