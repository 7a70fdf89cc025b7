// Files in the browser's database, and files that the page offers as downloads.

const DATABASE = "tfpy";
const FILES = "files";

/** Milliseconds until the memory of a download is released. The browser reads it soon after the click. */
const DOWNLOAD_MS = 60_000;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @returns {Promise<IDBDatabase>} */
async function openDatabase() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(FILES);
  return settled(request);
}

/**
 * Run a request in a transaction and wait until its changes are stored.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(files: IDBObjectStore) => IDBRequest<T>} ask
 * @returns {Promise<T>}
 */
async function transact(mode, ask) {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(FILES, mode);
    const stored = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [found] = await Promise.all([settled(ask(transaction.objectStore(FILES))), stored]);
    return found;
  } finally {
    database.close();
  }
}

/**
 * Store a file. It replaces a file of the same name.
 * @param {string} name
 * @param {Uint8Array} data
 */
export async function storeFile(name, data) {
  await transact("readwrite", (files) => files.put(data, name));
}

/** @returns {Promise<string[]>} the sorted names of the stored files */
export async function storedFiles() {
  return (await transact("readonly", (files) => files.getAllKeys())).map(String);
}

/**
 * @param {string} name
 * @returns {Promise<boolean>} whether the file existed
 */
export async function removeFile(name) {
  const count = await transact("readonly", (files) => files.count(name));
  await transact("readwrite", (files) => files.delete(name));
  return count > 0;
}

/**
 * Return a stored file as the response to a request.
 * @param {string} name
 * @returns {Promise<Response>}
 */
export async function fetchStored(name) {
  const data = await transact("readonly", (files) => files.get(name));
  if (data) return new Response(data, { headers: { "Content-Length": data.length } });
  return new Response(null, { status: 404, statusText: "this browser has not stored it" });
}

/**
 * Offer a file as a download. In a worker, worker_host.mjs passes the file to the page.
 * @param {string} name
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {boolean} false in a worker without a page that takes the file
 */
export function offerDownload(name, data) {
  const { document, tfpyDownload } = /** @type {any} */ (globalThis);
  if (tfpyDownload) {
    tfpyDownload(name, data);
    return true;
  }
  if (!document) return false;
  const url = URL.createObjectURL(new Blob([data]));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
  return true;
}
