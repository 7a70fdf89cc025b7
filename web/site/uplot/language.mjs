// uPlot cannot be imported if the browser's language is unknown to Intl, as in WebKitGTK with the locale "C".
// In this case this module sets English.

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}
