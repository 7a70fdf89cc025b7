/**
 * The parameters of a Program's steps, each laid out as its shader's uniform block, in one buffer.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./document.mjs").StepText} StepText
 * @typedef {import("./program.mjs").Buffer} Buffer
 * @typedef {import("./shaders.mjs").Shader} Shader
 */

/**
 * @param {WebGL2RenderingContext} gl
 * @param {ProgramText} text
 * @param {Shader[]} shaders
 * @param {Buffer[]} buffers
 * @returns {{params: WebGLBuffer | null, offsets: number[]}} the buffer, and the byte where each
 *   step's parameters begin
 */
export function packParams(gl, text, shaders, buffers) {
  const alignment = gl.getParameter(gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  let size = 0;
  const offsets = text.steps.map(({ kernel }) => {
    const offset = size;
    size += Math.ceil(shaders[kernel].paramsBytes / alignment) * alignment;
    return offset;
  });
  const view = new DataView(new ArrayBuffer(size));
  text.steps.forEach((step, number) => {
    const shader = shaders[step.kernel];
    const what = `step ${number} (${text.kernels[step.kernel].name})`;
    const values = valuesOf(step, text.kernels[step.kernel].inputs, buffers);
    for (const member of shader.members ?? []) {
      const value = values.get(member.name);
      const list = Array.isArray(value) ? value : [value];
      if (list.length !== member.size || !list.every(Number.isFinite)) {
        throw new Error(`program: ${what}: parameter ${member.name} is ${value}`);
      }
      list.forEach((v, i) => {
        const at = offsets[number] + member.offset + i * member.stride;
        if (member.isFloat) view.setFloat32(at, Number(v), true);
        else view.setInt32(at, Number(v), true);
      });
    }
  });
  const params = gl.createBuffer();
  gl.bindBuffer(gl.UNIFORM_BUFFER, params);
  gl.bufferData(gl.UNIFORM_BUFFER, view, gl.STATIC_DRAW);
  return { params, offsets };
}

/**
 * A step's parameters by name: the document's, and the layouts of its buffers.
 *
 * @param {StepText} step
 * @param {string[]} names of the inputs
 * @param {Buffer[]} buffers
 */
function valuesOf({ params, inputs, outputs: [output] }, names, buffers) {
  /** @type {Map<string, number | number[]>} */
  const values = new Map(Object.entries(params));
  values.set("out_shift", buffers[output].layout.shift);
  names.forEach((name, i) => {
    values.set(`${name}_shift`, buffers[inputs[i]].layout.shift);
  });
  return values;
}
