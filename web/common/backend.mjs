/**
 * The interface between every device backend's runtime and the bridge. Tensors are slots: positive
 * integers from one counter per backend, never used twice. Every function throws an Error with a clear
 * message, or an OpError (errors.mjs) where Python should raise a class of tf.errors.
 *
 * @typedef {"float32" | "int32" | "bool"} DType
 *
 * @typedef {Float32Array | Int32Array | Int8Array | Uint8Array | Uint16Array} TensorArray a bool is one byte, 0
 *   or 1; a float16 is its bits
 *
 * @typedef {{slots: number, bytes: number} & Record<string, number>} Memory
 *
 * @typedef {import("./timing.mjs").KernelTimes} KernelTimes
 *
 * @typedef {object} Backend
 * @property {string} variant for example "webgl2-float32" or "relaxed-threads"
 * @property {Record<string, number>} limits limits of Programs; webgl: `targets`, the number of textures
 *   that a step may write, and `block`, the bytes of an input that it may read through a uniform block;
 *   webgpu: `hardware` (1 for a GPU, 0 for a software rasterizer), `inputs` that a kernel may read,
 *   `workgroupBytes` that invocations may share; all: `tensorBytes`, the largest size of a tensor
 * @property {(heap: ArrayBufferLike, ptr: number, count: number, dtype: string) => number} write
 *   copy `count` elements at byte `ptr` into a new slot
 * @property {(...slots: number[]) => void} free
 * @property {(json: string, heap: ArrayBufferLike, ptr: number, nbytes: number) => number} register
 *   register a Program (its JSON text, and its constants' bytes at `ptr`) and return its id
 * @property {(json: string, heap: ArrayBufferLike, ptr: number, nbytes: number,
 *   progress: (done: number, total: number) => void) => Promise<number>} registerAsync
 *   the same without blocking the page; the heap is read before the first wait, and `progress`
 *   receives the number of compiled kernels
 * @property {(program: number) => void} release release a Program
 * @property {(program: number, ...slots: number[]) => number} run
 *   return the slot of the first output; further outputs have the following numbers. A negative slot is
 *   donated: after a successful run it is freed, and an output may reuse its storage
 * @property {() => Memory} memory live slots, their bytes, and backend-specific numbers
 * @property {() => Promise<void>} finish resolves when all work issued so far is done
 * @property {() => void} close free everything; the backend cannot be used afterwards
 *
 * @typedef {object} BlockingRead further methods of a backend that can wait for the device
 * @property {(heap: ArrayBufferLike, ptr: number, slot: number) => void} read
 *   copy a slot's elements to byte `ptr`
 *
 * @typedef {object} AsyncRead further methods of a backend whose runs return before they end
 * @property {<T>(slot: number, use: (elements: TensorArray) => T) => Promise<T>} readAsync
 *   resolves to the result of `use` on a slot's elements without blocking the page; they are valid only during the call
 *
 * @typedef {object} Sliced further methods of a backend whose runs are synchronous, but can be split
 *   into slices with other work in between
 * @property {(program: number, ...slots: number[]) => number} begin
 *   begin a run, which reads the slots even if they are freed, and return its number
 * @property {(run: number, ms: number) => number} goOn run one step, and further steps that end within
 *   `ms`; return the slot of the first output, or 0 if steps are left. A run that fails has ended
 * @property {(run: number) => void} drop end a run, if it exists, without outputs
 *
 * @typedef {object} Timed further methods of a backend whose device may measure the times of kernels
 * @property {() => void} startTiming begin to time kernels, which itself costs time
 * @property {() => KernelTimes | Promise<KernelTimes>} stopTiming return the times of the kernels since
 *   then, after they have run
 *
 * @typedef {object} Sharing further methods of a backend that shares buffers with the page
 * @property {GPUDevice} gpu the device that owns the buffers
 * @property {(buffer: GPUBuffer, count: number, dtype: string) => number} borrow
 *   return a new slot over the page's buffer, which the backend never writes to and never destroys
 * @property {(slot: number) => Promise<GPUBuffer>} lend
 *   return a slot's buffer once the work that computes it is submitted; valid as long as the slot exists
 *
 * @typedef {object} Pictured further methods of a backend that reads images of the page without the CPU
 * @property {(source: any, height: number, width: number, channels: number) => number} picture
 *   return a new int32 slot [height, width, channels] with the current pixels of an image, 0 to 255; 0 if
 *   the browser does not provide them
 * @property {(slot: number, canvas: any, look: Look) => boolean} draw
 *   resize a canvas to a float32 or int32 image and draw the image; false if the device cannot draw on
 *   this canvas
 *
 * @typedef {object} Look
 * @property {number} height
 * @property {number} width
 * @property {number} channels 1, 3 or 4
 * @property {number} alpha from 0 to 255, for images without an alpha channel
 * @property {"webgpu" | "2d"} kind kind of the context to create if the canvas has none
 * @property {object} [attributes] attributes of that context
 *
 * @typedef {object} Losable further methods of a backend whose device may be lost, because the browser
 *   takes it away or because of a trap
 * @property {() => string} lost the reason why the device is lost; empty while it works
 * @property {(heap: ArrayBufferLike, ptr: number, slot: number) => boolean} rescue
 *   copy a slot's elements to byte `ptr`, even if the device is lost or closed; false if the host does
 *   not have them
 */

export {};
