// Resolves the relative URLs of a page's scripts, options and workers. All of them are relative to the page.

/** URL of the page, in a worker that the page has started. @type {string | undefined} */
let page;

/** Return the URL to which relative URLs refer: the page's, or the module's in a program without a page. */
export const base = () =>
  page ?? globalThis.document?.baseURI ?? globalThis.location?.href ?? import.meta.url;

/** Return the absolute URL of a relative one. @param {string} address */
export const resolved = (address) => new URL(address, base()).href;

/** Return the absolute URL of a folder, with a slash at the end. @param {string} address */
export const resolvedFolder = (address) => resolved(address.replace(/\/?$/, "/"));

/**
 * Make the relative URLs of this worker relative to its page. By default they are relative to the worker's module, or
 * refused.
 * @param {string} url URL of the page
 */
export function takePage(url) {
  page = url;
  const { fetch, Request, XMLHttpRequest } = globalThis;
  const { open } = XMLHttpRequest.prototype;
  /** @type {<T>(address: T) => T | string} */
  const whole = (address) => (typeof address === "string" ? resolved(address) : address);
  XMLHttpRequest.prototype.open = function (
    /** @type {string} */ method,
    /** @type {string} */ url,
    /** @type {any[]} */ ...options
  ) {
    return /** @type {any} */ (open).call(this, method, whole(url), ...options);
  };
  Object.assign(globalThis, {
    fetch: async (/** @type {RequestInfo} */ resource, /** @type {RequestInit} */ options) =>
      fetch(whole(resource), options),
    Request: class extends Request {
      /** @param {RequestInfo} resource @param {RequestInit} options */
      constructor(resource, options) {
        super(whole(resource), options);
      }
    },
  });
}
