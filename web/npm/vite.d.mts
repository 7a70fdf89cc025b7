import type { Plugin } from "vite";

export interface Options {
  /**
   * Whether Vite's servers send the headers that allow threads of WebAssembly. Files of other sites
   * then need CORS.
   */
  isolated?: boolean;
}

/** Vite plugin that serves and builds tfpy's site in the folder tfpy/. */
export default function tfpy(options?: Options): Plugin;
