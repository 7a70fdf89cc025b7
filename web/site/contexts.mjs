// Workarounds for the contexts of canvases in workers, where browsers deviate from the standard.
//
// In Firefox, a canvas that a page has transferred to a worker returns its context only once, and an error after
// that. This module returns the same context again. WebKitGTK draws such canvases on the GPU, and frees their
// textures on the page's thread while the worker uses them, which crashes the page within minutes of drawing
// every frame. This module makes WebKitGTK draw them on the CPU.

/** WebKitGTK or WPE; Safari has a separate GPU process. */
const SHARES_TEXTURES = /\bLinux\b.*\bAppleWebKit\/(?!.*\bChrome\/)/;

/** @type {WeakMap<OffscreenCanvas, {kind: string, context: any}>} */
const given = new WeakMap();

let isMended = false;

/** Install the workarounds in a worker. */
export function mendContexts() {
  /** @type {any} */
  const prototype = globalThis.OffscreenCanvas?.prototype;
  if (isMended || !prototype || globalThis.document) return;
  isMended = true;
  const { getContext } = prototype;
  const onProcessor = SHARES_TEXTURES.test(navigator.userAgent)
    ? { willReadFrequently: true }
    : undefined;
  /** @this {OffscreenCanvas} @param {string} kind @param {any} options */
  prototype.getContext = function (kind, options) {
    const known = given.get(this);
    if (known) return known.kind === kind ? known.context : null;
    const context = getContext.call(this, kind, { ...options, ...onProcessor });
    if (context) given.set(this, { kind, context });
    return context;
  };
}
