// What is wrong with files that did not load. tfpy.mjs asks when something has failed.

/**
 * @typedef {object} Wanted a file
 * @property {string} url
 * @property {string} [sha256] of what it is to be, as hexadecimal digits, where that is known
 *
 * @typedef {Pick<SecurityPolicyViolationEvent, "effectiveDirective" | "blockedURI">} Violation
 */

/** What browsers take files of these names as, and nothing else. */
const TYPES = [
  { name: /\.mjs$/, type: "text/javascript", taken: /^(text|application)\/(x-)?(java|ecma)script/ },
  { name: /\.wasm$/, type: "application/wasm", taken: /^application\/wasm/ },
];

/** How a violation calls WebAssembly. */
const WASM = "wasm-eval";

/**
 * What is wrong with some files, a line for each of those with which something is.
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

/** @param {Wanted} file @param {string} blocked an address, or the origin of one */
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
 * @returns {Promise<string>} empty where nothing is wrong
 */
async function faultOf({ url, sha256 }) {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    return `no answer (${error}); the network is gone, or the server lets no other site read it (CORS)`;
  }
  const type = response.headers.get("Content-Type") ?? "of no type";
  const answer = `${response.status} ${response.statusText}, ${type}`;
  if (!response.ok) return `${answer}; the server does not give the file`;
  if (type.startsWith("text/html")) {
    return `${answer}; that is a page in the place of the file (Vite has it by the plugin tfpy/vite)`;
  }
  const rule = TYPES.find(({ name }) => name.test(new URL(url).pathname));
  if (rule && !rule.taken.test(type)) return `${answer}; the server has to call it ${rule.type}`;
  let bytes;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    return `${answer}; the connection broke before its end (${error}): load again`;
  }
  const found = sha256 && (await digest(bytes));
  if (!found || found === sha256) return "";
  const size = `${bytes.byteLength} bytes`;
  return `${answer}; it is another file (${size}, SHA-256 ${found}, not ${sha256}): upload it anew`;
}

/**
 * @param {ArrayBuffer} bytes
 * @returns {Promise<string>} empty where pages have no such function
 */
async function digest(bytes) {
  if (!globalThis.crypto?.subtle) return "";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
