// Python's errors that no caller catches, such as those of event handlers.

/**
 * Call a function with each error of Python that reaches this thread's event loop: errors of event handlers, also of
 * asynchronous ones. The end of a handler by sys.exit() is none.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {(error: Error) => void} report
 */
export function watchUncaught({ ffi: { PythonError } }, report) {
  const reportPython = (/** @type {unknown} */ error) => {
    if (error instanceof PythonError && error.type !== "SystemExit") report(error);
  };
  addEventListener("error", (event) => {
    if (!globalThis.document && event.error instanceof PythonError) {
      console.error(event.error);
      event.preventDefault(); // otherwise the page regards the worker as broken
    }
    reportPython(event.error);
  });
  addEventListener("unhandledrejection", ({ reason }) => reportPython(reason));
}
