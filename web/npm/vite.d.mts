import type { Plugin } from "vite";

export interface Options {
  /**
   * Whether Vite's servers send the headers with which browsers allow threads of WebAssembly;
   * files of other sites need CORS then.
   */
  isolated?: boolean;
}

/** Vite's plugin: pages find tfpy's site in the folder tfpy/ of what Vite builds or serves. */
export default function tfpy(options?: Options): Plugin;
