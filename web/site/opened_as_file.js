// Explains why nothing runs in a page that was opened from a file. Browsers load no modules there, but they run this
// classic script. It is in the folder of the site.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const site = new URL(".", script.src).href;
  if (location.protocol !== "file:" || !location.href.startsWith(site)) return;
  const folder = decodeURIComponent(new URL(site).pathname).replace(/^\/([A-Z]:)/i, "$1");
  const page = `http://localhost:8000/${location.href.slice(site.length)}`;

  /** @param {string} tag @param {string} text */
  const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const note = document.createElement("div");
  note.setAttribute("role", "alert");
  note.style.cssText =
    "margin: 0 0 1em; padding: 0.75em 1em; overflow-wrap: anywhere; color: #fff; background: #a3211a";
  const link = Object.assign(element("a", page), { href: page });
  link.style.color = "inherit";
  note.append(
    "This page was opened from a file, and browsers do not run its programs there. Start a web server with ",
    element("code", `python -m http.server --directory "${folder}"`),
    " and open ",
    link,
    ".",
  );
  document.body.prepend(note);
})();
