// Makes Python functions callable from JavaScript with typed arrays; tfpy.mjs exports the functions here.

import { resolved } from "./addresses.mjs";
import { filenameOf, messageOf } from "./python.mjs";
import { IN_PUBLIC, refusal } from "./responses.mjs";
import { withoutTraceback } from "./tfpy.mjs";

/**
 * @typedef {Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array
 *   | BigInt64Array | BigUint64Array | Float32Array | Float64Array} TypedArray
 *
 * @typedef {object} Arrays arrays with the elements of a tensor, by TensorFlow's name of the dtype; a bool
 *   is one byte, a complex number is two floats
 * @property {Uint8Array} bool
 * @property {Int8Array} int8
 * @property {Uint8Array} uint8
 * @property {Int16Array} int16
 * @property {Uint16Array} uint16
 * @property {Int32Array} int32
 * @property {Uint32Array} uint32
 * @property {BigInt64Array} int64
 * @property {BigUint64Array} uint64
 * @property {Float32Array} bfloat16
 * @property {Float32Array} float16
 * @property {Float32Array} float32
 * @property {Float64Array} float64
 * @property {Float32Array} complex64
 * @property {string[]} string
 *
 * @typedef {Tensor | number | string | boolean | null | undefined | Result[] | {[name: string]: Result}} Result
 *
 * @typedef {(...values: any[]) => any} Signature parameters and result of a Python function, as JavaScript sees them
 *
 * @typedef {(...values: any[]) => Tensor & {[name: string]: any}} Undeclared signature of a function whose type
 *   is not declared: the result is a tensor, or an object of results
 */

/**
 * @template {keyof Arrays} [D=keyof Arrays]
 * @typedef {{[Name in D]: {dtype: Name, shape: number[], data: Arrays[Name]}}[D]} Tensor elements with a
 *   shape; after a test of `dtype`, the type of `data` is known
 */

/**
 * @template {Signature} [F=Undeclared]
 * @typedef {((...values: Parameters<F>) => Promise<Awaited<ReturnType<F>>>) & {destroy(): void}} Callable
 *   accepts numbers, strings, arrays, typed arrays, {data, shape, dtype}, images, and objects of these;
 *   resolves to a Result. A Python error rejects with its message; its cause has the traceback.
 */

/**
 * @template {{[Name in keyof F]: Signature}} [F=Record<string, Undeclared>]
 * @typedef {{[Name in keyof F]: Callable<F[Name]>}} Functions functions by name
 */

/** Python code that returns the functions of a namespace: those in __all__, or all that are defined there. */
const FUNCTIONS = `
def functions(names):
    if "__all__" in names:
        return {name: names[name] for name in names["__all__"] if callable(names[name])}
    own = names.get("__name__")
    return {
        name: value for name, value in names.items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
        and getattr(value, "__module__", None) == own
    }

functions
`;

const MODULE_NAME = /^[\p{L}_][\p{L}\d_]*(\.[\p{L}_][\p{L}\d_]*)*$/u;
const FILE = /^\S+\.py(\?\S*)?$/;

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {any} tf the tfpy module
 */
export function functionsOf(pyodide, tf) {
  /**
   * @param {number | TypedArray} values
   * @param {number[]} [shape]
   */
  const tensor = (values, shape) =>
    shape ? tf.constant.callKwargs(values, { shape }) : tf.constant(values);

  /**
   * @param {any} source Python function, or the source of an expression that returns one
   * @returns {Callable<any>}
   */
  const callable = (source) => {
    const isText = typeof source === "string";
    const python = isText ? pyodide.runPython(source) : source;
    try {
      const inner = tf.browser.as_javascript(python);
      /** @param {any[]} values */
      const call = async (...values) => {
        try {
          return await inner(...values);
        } catch (error) {
          throw new Error(withoutTraceback(error), { cause: error });
        }
      };
      return Object.assign(call, { destroy: () => inner.destroy() });
    } catch (error) {
      throw new Error(withoutTraceback(error), { cause: error });
    } finally {
      if (isText) python?.destroy?.();
    }
  };

  /**
   * @param {string} what name of a module, URL of a .py file, or Python source
   * @returns {Promise<any>} functions by name
   */
  const importPython = async (what) => {
    const names = await namespaceOf(pyodide, what);
    const select = pyodide.runPython(FUNCTIONS, { globals: pyodide.toPy({}) });
    const found = select(names);
    try {
      const entries = [...found].map((name) => {
        const python = found.get(name);
        const made = /** @type {const} */ ([name, callable(python)]);
        python.destroy();
        return made;
      });
      return Object.fromEntries(entries);
    } finally {
      for (const proxy of [found, select, names]) proxy.destroy();
    }
  };
  return { tensor, callable, import: importPython };
}

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {string} what
 */
async function namespaceOf(pyodide, what) {
  const isFile = FILE.test(what);
  const isModule = !isFile && MODULE_NAME.test(what);
  try {
    if (isModule) {
      const module = pyodide.pyimport(what);
      const names = module.__dict__;
      module.destroy();
      return names;
    }
    const source = isFile ? await textAt(resolved(what)) : what;
    const filename = isFile ? resolved(what) : filenameOf(source, "import");
    const globals = pyodide.toPy({ __name__: filename, __file__: filename });
    await pyodide.runPythonAsync(source, { globals, filename });
    return globals;
  } catch (error) {
    // The traceback of Python source shows the lines of the caller.
    const message = isModule ? withoutTraceback(error) : messageOf(error);
    throw new Error(message, { cause: error });
  }
}

/** Fetch the source of a .py file. @param {string} url */
export async function textAt(url) {
  const response = await fetch(url);
  const refused = refusal(response, IN_PUBLIC);
  if (refused) throw new Error(`tfpy: there is no Python file at ${url}: ${refused}`);
  return response.text();
}
