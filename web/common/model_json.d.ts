// Types of Emscripten's output for csrc/model_json; the bundler's alias "model-json" names the file.

declare module "model-json" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
