/**
 * What every device backend's runtime offers to the bridge. Tensors are slots: positive integers
 * from one counter per backend, never used twice. Every function throws an Error with a clear text,
 * and those whose class Python should know as an OpError (errors.mjs).
 *
 * @typedef {"float32" | "int32" | "bool"} DType
 *
 * @typedef {Float32Array | Int32Array | Uint8Array | Uint16Array} TensorArray a bool is one byte, 0
 *   or 1, float16 its bits
 *
 * @typedef {{slots: number, bytes: number} & Record<string, number>} Memory
 *
 * @typedef {import("./timing.mjs").KernelTimes} KernelTimes
 *
 * @typedef {object} Backend
 * @property {string} variant for example "webgl2-float32" or "relaxed-threads"
 * @property {Record<string, number>} limits what Programs must keep to; webgl: how many `targets` a
 *   step may write to, bytes of an input that it may read through a uniform `block`; webgpu: `hardware`
 *   (1 if a GPU computes, 0 if a rasteriser on the CPU), `inputs` that a kernel may read,
 *   `workgroupBytes` that invocations may share; all: `tensorBytes` that a tensor may take
 * @property {(heap: ArrayBufferLike, ptr: number, count: number, dtype: string) => number} write
 *   copies `count` elements at byte `ptr` into a new slot
 * @property {(...slots: number[]) => void} free
 * @property {(json: string, heap: ArrayBufferLike, ptr: number, nbytes: number) => number} register
 *   takes a Program (its JSON text, and its constants' bytes at `ptr`) and returns its id
 * @property {(json: string, heap: ArrayBufferLike, ptr: number, nbytes: number,
 *   progress: (done: number, total: number) => void) => Promise<number>} registerAsync
 *   the same without freezing the page; the heap is read before the first wait, and `progress`
 *   hears how much is compiled
 * @property {(program: number) => void} release forgets a Program
 * @property {(program: number, ...slots: number[]) => number} run
 *   returns the slot of the first output; further outputs have the following numbers. A slot with a
 *   minus sign is donated: when the run has succeeded it is gone, and an output may lie in its place
 * @property {() => Memory} memory live slots, their bytes, and numbers of the backend's own
 * @property {() => Promise<void>} finish resolves when all work so far is done
 * @property {() => void} close frees everything; the backend is of no use afterwards
 *
 * @typedef {object} BlockingRead what a backend has besides if it can wait for the device
 * @property {(heap: ArrayBufferLike, ptr: number, slot: number) => void} read
 *   copies a slot's elements to byte `ptr`
 *
 * @typedef {object} AsyncRead what a backend has besides if its runs return before they end
 * @property {<T>(slot: number, use: (elements: TensorArray) => T) => Promise<T>} readAsync
 *   gives what `use` makes of a slot's elements, without blocking the page; they are there only while it is called
 *
 * @typedef {object} Sliced what a backend has besides if its runs return when they have ended, and may
 *   be made in slices, between which anything else may run
 * @property {(program: number, ...slots: number[]) => number} begin
 *   begins a run, which reads the slots even if they are freed, and gives its number
 * @property {(run: number, ms: number) => number} goOn runs a step, and more that end within `ms`;
 *   returns the slot of the first output, 0 while there is more to do. A run that fails is over
 * @property {(run: number) => void} drop ends a run, if there is one, without outputs
 *
 * @typedef {object} Timed what a backend has besides if its device may tell how long kernels take
 * @property {() => void} startTiming begins to time kernels, which costs time itself
 * @property {() => KernelTimes | Promise<KernelTimes>} stopTiming gives the times of the kernels
 *   since then, when they have run
 *
 * @typedef {object} Sharing what a backend has besides if it shares buffers with the page
 * @property {GPUDevice} gpu whose they are
 * @property {(buffer: GPUBuffer, count: number, dtype: string) => number} borrow
 *   gives a new slot over the page's buffer, which is never written to nor destroyed here
 * @property {(slot: number) => Promise<GPUBuffer>} lend
 *   gives a slot's buffer when all that computes it is submitted; good as long as the slot is
 *
 * @typedef {object} Pictured what a backend has besides if pictures of the page need not pass the CPU
 * @property {(source: any, height: number, width: number, channels: number) => number} picture
 *   gives a new int32 slot [height, width, channels] with the levels of a picture as it is now; 0 where
 *   the browser does not give it
 * @property {(slot: number, canvas: any, look: Look) => boolean} draw
 *   gives a canvas the size of a float32 or int32 image and draws it; false where the canvas is none
 *   that the device can draw on
 *
 * @typedef {object} Look
 * @property {number} height
 * @property {number} width
 * @property {number} channels 1, 3 or 4
 * @property {number} alpha from 0 to 255, of an image that has none
 * @property {"webgpu" | "2d"} kind of the context that a canvas is given if it has none...
 * @property {object} [attributes] ... and its attributes
 *
 * @typedef {object} Losable what a backend has besides if its device may be lost: taken away by the
 *   browser, or of no use after a trap
 * @property {() => string} lost why the device is gone; empty while it is there
 * @property {(heap: ArrayBufferLike, ptr: number, slot: number) => boolean} rescue
 *   copies a slot's elements to byte `ptr`, also when the device is gone or closed; false where the host
 *   has not got them
 */

export {};
