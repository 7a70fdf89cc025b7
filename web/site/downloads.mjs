// Measures the progress of a start's downloads.

/**
 * @typedef {{loaded: number, total: number}} Bytes numbers of bytes of the uncompressed files
 * @typedef {Record<string, number>} Sizes sizes of the site's files in bytes, by name
 */

/** File with the sizes, next to this module; build.py writes it. */
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
 * Return packages together with their dependencies.
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
 * Return the URLs of the wheels of packages and of their dependencies.
 * @param {import("pyodide").Lockfile} lock
 * @param {string} lockFileURL
 * @param {string[]} wanted names of packages in the lock file
 * @returns {string[]}
 */
export function wheelsOf(lock, lockFileURL, wanted) {
  const files = withNeeds(lock, wanted).map((name) => lock.packages[name]?.file_name);
  return files.filter(Boolean).map((file) => new URL(file, lockFileURL).href);
}

/**
 * Count the bytes of fetched files from now on.
 * @param {string[]} urls URLs that will be fetched
 * @param {Sizes} sizes
 * @param {(bytes: Bytes) => void} onBytes
 * @returns {() => void} stops counting
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
      follow(response.clone(), size).catch(() => {}); // the reader of the other copy receives the error
    }
    return response;
  };
  globalThis.fetch = counted;
  return () => {
    isOver = true;
    if (globalThis.fetch === counted) globalThis.fetch = fetch;
  };
}
