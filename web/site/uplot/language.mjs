// uPlot cannot be imported where the browser names no language that Intl knows, as WebKitGTK does
// under the locale "C". Then it finds English.

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}
