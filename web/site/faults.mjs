// Finds out why files did not load. tfpy.mjs loads this module after a failure.

import { refusal, shownResponse } from "./responses.mjs";

/**
 * @typedef {object} Wanted a file
 * @property {string} url
 * @property {string} [sha256] expected digest in hexadecimal digits, if it is known
 *
 * @typedef {Pick<SecurityPolicyViolationEvent, "effectiveDirective" | "blockedURI">} Violation
 */

/** MIME types that browsers require for files with these names. */
const TYPES = [
  { name: /\.mjs$/, type: "text/javascript", taken: /^(text|application)\/(x-)?(java|ecma)script/ },
  { name: /\.wasm$/, type: "application/wasm", taken: /^application\/wasm/ },
];

/** Name of WebAssembly in violation reports. */
const WASM = "wasm-eval";

/**
 * Return a line for each file that has a problem.
 * @param {Wanted[]} files
 * @param {Violation[]} violations of the page's content security policy while they were loaded
 * @returns {Promise<string[]>}
 */
export async function faultsOf(files, violations) {
  const forbidden = violations
    .filter(({ blockedURI }) => blockedURI === WASM || files.some((f) => isOf(f, blockedURI)))
    .map(forbiddance);
  if (forbidden.length > 0) return [...new Set(forbidden)];
  const found = await Promise.all(
    files.map(async (file) => {
      const fault = await faultOf(file);
      return fault && `${file.url}: ${fault}`;
    }),
  );
  return found.filter(Boolean);
}

/** @param {Wanted} file @param {string} blocked URL or origin */
function isOf({ url }, blocked) {
  return blocked !== "" && url.startsWith(blocked);
}

/** @param {Violation} violation */
function forbiddance({ effectiveDirective, blockedURI }) {
  const directive = effectiveDirective.replace(/-elem$/, "");
  const [what, source] =
    blockedURI === WASM
      ? ["WebAssembly", "'wasm-unsafe-eval'"]
      : [blockedURI, sourceOf(blockedURI)];
  return `the page's Content-Security-Policy forbids ${what}: add ${source} to its ${directive}`;
}

/** @param {string} url */
function sourceOf(url) {
  const { origin } = new URL(url);
  return origin === location.origin ? "'self'" : origin;
}

/**
 * @param {Wanted} file
 * @returns {Promise<string>} description of the problem; empty if there is none
 */
async function faultOf({ url, sha256 }) {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    return `no response (${error}); the network is down, or the server does not allow other sites to read the file (CORS)`;
  }
  const type = response.headers.get("Content-Type") ?? "";
  const answer = shownResponse(response);
  const refused = refusal(response, "with Vite, use the plugin tfpy-web/vite");
  if (refused) return refused;
  const rule = TYPES.find(({ name }) => name.test(new URL(url).pathname));
  if (rule && !rule.taken.test(type)) return `${answer}; the server must send it as ${rule.type}`;
  let bytes;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    return `${answer}; the connection broke before its end (${error}): please load it again`;
  }
  const found = sha256 && (await digest(bytes));
  if (!found || found === sha256) return "";
  const size = `${bytes.byteLength} bytes`;
  return `${answer}; it is a different file (${size}, SHA-256 ${found}, not ${sha256}): upload it again`;
}

/**
 * Return the SHA-256 of bytes.
 * @param {ArrayBuffer} bytes
 * @returns {Promise<string>} digest in hexadecimal digits; empty where pages cannot compute it
 */
export async function digest(bytes) {
  if (!globalThis.crypto?.subtle) return "";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
