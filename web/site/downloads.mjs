// How much is there of what a start downloads.

/**
 * @typedef {{loaded: number, total: number}} Bytes of files as they are, not as servers pack them
 * @typedef {Record<string, number>} Sizes bytes of the site's files, by their names in it
 */

/** Beside this module, where the site was built with tfpy. */
const SIZES = "./sizes.json";

/** @returns {Promise<Sizes>} none where the site does not say them */
export async function fetchSizes() {
  try {
    return await (await fetch(new URL(SIZES, import.meta.url))).json();
  } catch {
    return {};
  }
}

/**
 * Packages with those that they need.
 * @param {import("pyodide").Lockfile} lock
 * @param {string[]} wanted
 * @returns {string[]}
 */
export function withNeeds({ packages }, wanted) {
  const names = new Set(wanted);
  for (const name of names) {
    for (const needed of packages[name]?.depends ?? []) names.add(needed);
  }
  return [...names];
}

/**
 * The addresses of packages' wheels, with those that they need.
 * @param {import("pyodide").Lockfile} lock
 * @param {string} lockFileURL
 * @param {string[]} wanted names of the lock file
 * @returns {string[]}
 */
export function wheelsOf(lock, lockFileURL, wanted) {
  const files = withNeeds(lock, wanted).map((name) => lock.packages[name]?.file_name);
  return files.filter(Boolean).map((file) => new URL(file, lockFileURL).href);
}

/**
 * Counts the bytes of what is fetched from now on.
 * @param {string[]} urls what will be fetched
 * @param {Sizes} sizes
 * @param {(bytes: Bytes) => void} onBytes
 * @returns {() => void} ends it
 */
export function countFetched(urls, sizes, onBytes) {
  const sizeAt = new Map(
    Object.entries(sizes).map(([name, size]) => [new URL(name, import.meta.url).href, size]),
  );
  const total = urls.reduce((sum, url) => sum + (sizeAt.get(url) ?? 0), 0);
  let loaded = 0;
  let isOver = total === 0;

  /** @param {Response} response @param {number} size */
  const follow = async ({ body }, size) => {
    const reader = body?.getReader();
    let left = size;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      if (isOver) return;
      const count = Math.min(part.value.length, left);
      left -= count;
      loaded += count;
      onBytes({ loaded, total });
    }
  };

  const { fetch } = globalThis;
  /** @type {typeof globalThis.fetch} */
  const counted = async (resource, options) => {
    const response = await fetch(resource, options);
    const size = urls.includes(response.url) && sizeAt.get(response.url);
    if (size && response.ok && !isOver) {
      follow(response.clone(), size).catch(() => {}); // who reads the other one hears of it
    }
    return response;
  };
  globalThis.fetch = counted;
  return () => {
    isOver = true;
    if (globalThis.fetch === counted) globalThis.fetch = fetch;
  };
}
