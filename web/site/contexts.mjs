// The contexts of a worker's canvases, where browsers do not do what the standard says.
//
// In Firefox a canvas that a page has handed to a worker gives its context once, and an error when it is
// asked again. Here it gives it again. WebKitGTK draws such canvases on the GPU, and frees their textures in
// the page's thread while the worker uses them: the whole page dies of it, some time within minutes of drawing
// each frame. There they are drawn on the processor.

/** WebKitGTK or WPE; Safari has a process for the GPU. */
const SHARES_TEXTURES = /\bLinux\b.*\bAppleWebKit\/(?!.*\bChrome\/)/;

/** @type {WeakMap<OffscreenCanvas, {kind: string, context: any}>} */
const given = new WeakMap();

let isMended = false;

/** Mends the canvases of a worker. */
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
