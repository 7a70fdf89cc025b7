import { loadTfpy, type Tensor, type Tfpy } from "tfpy-web";
import { loadProgram } from "tfpy-web/run";
import { startWorker, type TfpyWorker } from "tfpy-web/worker";

const tfpy: Tfpy = await loadTfpy({ backend: "wasm" });
const { softmax, program } = await tfpy.import<{
  softmax: (x: Float32Array) => { y: Tensor<"float32"> };
  program: () => Tensor<"uint8">;
}>(`
import numpy as np
import tfpy as tf

@tf.function
def softmax(x):
    return {"y": tf.nn.softmax(x)}

def program():
    tf.export(softmax, "/tmp/softmax.tfpy", tf.TensorSpec([3]))
    return np.fromfile("/tmp/softmax.tfpy", np.uint8)
`);
const x = new Float32Array([0, 0, 0]);
const { y } = await softmax(x);
const model = await loadProgram((await program()).data, { backend: "wasm" });
const again = (await model.run(x)).y;
const worker: TfpyWorker = await startWorker({ backend: "wasm" });
const apart = await (await worker.callable("__import__('tfpy').nn.softmax")).transfer(x);
worker.end();
const own = new Worker(new URL("./own_worker.ts", import.meta.url), { type: "module" });
const ofOwn: Float32Array[] = await new Promise((resolve, reject) => {
  own.onmessage = ({ data }) => resolve(data);
  own.onerror = reject;
});
own.terminate();
const text = () => document.querySelector(".tfpy-output")?.textContent ?? "";
while (!text().endsWith("\n")) await new Promise((resolve) => setTimeout(resolve, 50));
const printed: number[] = JSON.parse(text());
const found = [y.data, again.data, apart.dtype === "float32" ? apart.data : [], ...ofOwn, printed];
document.body.dataset.found = JSON.stringify(found.map((a) => [...a]));
