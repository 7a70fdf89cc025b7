// The list of backends: which one was chosen, and why the others were not.

/**
 * @typedef {{status: "chosen" | "available" | "lost" | "failed" | "skipped" | "not tried", reason: string, variant: string}} BackendState
 */

const TITLES = /** @type {Record<string, string>} */ ({
  webgpu: "WebGPU: the GPU",
  webgl: "WebGL: the GPU",
  wasm: "WebAssembly: XNNPACK on the CPU",
  cpu: "NumPy in Python",
});

/** Notes for users, by backend and status; the label's title shows tfpy's own reason. */
const NOTES = /** @type {Record<string, Record<string, string>>} */ ({
  webgpu: {
    skipped: "WebGPU finds no GPU in this browser.",
    failed: "WebGPU could not start.",
    lost: "The browser took the GPU away. Select it to start it again.",
  },
  webgl: {
    skipped: "No GPU found: WebGL would run on the CPU, and WebAssembly is faster.",
    failed: "WebGL 2 does not work in workers of this browser.",
    lost: "The browser took the GPU away. Select it to start it again.",
  },
  wasm: {
    skipped: "This browser has no WebAssembly SIMD.",
    failed: "WebAssembly could not start.",
  },
});

/**
 * Return the note on a backend's state for users; empty if there is no problem.
 * @param {string} name
 * @param {BackendState} state
 */
export function noteOn(name, { status, reason }) {
  return NOTES[name]?.[status] ?? reason;
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [className]
 */
function element(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/**
 * @param {HTMLElement} container
 * @param {Record<string, BackendState>} report
 * @param {string} active
 * @param {(name: string) => void} onPick
 */
export function showBackends(container, report, active, onPick) {
  container.replaceChildren(
    ...Object.entries(report).map(([name, backend]) => {
      const { status, reason, variant } = backend;
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = "backend";
      radio.value = name;
      radio.checked = name === active;
      radio.addEventListener("change", () => onPick(name));
      const label = element("label", "", "backend");
      const state = element("small", status === "chosen" ? "chosen" : status, status);
      label.append(radio, element("strong", TITLES[name] ?? name), state);
      const notes = [variant, noteOn(name, backend)].filter(Boolean);
      label.append(...notes.map((text) => element("small", text)));
      label.title = reason;
      return label;
    }),
  );
}
