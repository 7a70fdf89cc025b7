import { loadTfpy, type Tensor } from "tfpy-web";
import { loadProgram } from "tfpy-web/run";

async function softmaxes(): Promise<Float32Array[]> {
  const tfpy = await loadTfpy({ backend: "wasm" });
  const { softmax, program } = await tfpy.import<{
    softmax: (x: number[]) => Tensor<"float32">;
    program: () => Tensor<"uint8">;
  }>(`
import numpy as np
import tfpy as tf

softmax = tf.nn.softmax

def program():
    tf.export(lambda x: {"y": tf.nn.softmax(x)}, "/tmp/softmax.tfpy", tf.TensorSpec([3]))
    return np.fromfile("/tmp/softmax.tfpy", np.uint8)

__all__ = ["softmax", "program"]
`);
  const model = await loadProgram((await program()).data, { backend: "wasm" });
  const { y } = await model.run([0, 0, 0]);
  return [(await softmax([0, 0, 0])).data, y.data as Float32Array];
}

softmaxes().then((found) => postMessage(found));
