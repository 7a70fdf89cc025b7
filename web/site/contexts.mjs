// In Firefox a canvas that a page has handed to a worker gives its context once, and an error when it is
// asked again. Here it gives it again, as the standard says.

/** @type {WeakMap<OffscreenCanvas, {kind: string, context: any}>} */
const given = new WeakMap();

let isMended = false;

/** Mends the canvases of a worker. */
export function keepContexts() {
  /** @type {any} */
  const prototype = globalThis.OffscreenCanvas?.prototype;
  if (isMended || !prototype || globalThis.document) return;
  isMended = true;
  const { getContext } = prototype;
  /** @this {OffscreenCanvas} @param {string} kind @param {any} options */
  prototype.getContext = function (kind, options) {
    const known = given.get(this);
    if (known) return known.kind === kind ? known.context : null;
    const context = getContext.call(this, kind, options);
    if (context) given.set(this, { kind, context });
    return context;
  };
}
