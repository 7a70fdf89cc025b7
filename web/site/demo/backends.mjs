// The list of backends: which one was chosen, and why the others were not.

/**
 * @typedef {{status: "chosen" | "available" | "failed" | "skipped", reason: string, variant: string}} BackendState
 */

const TITLES = /** @type {Record<string, string>} */ ({
  webgpu: "WebGPU",
  webgl: "WebGL: the GPU",
  wasm: "WebAssembly: XNNPACK on the CPU",
  cpu: "NumPy in Python",
});

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
    ...Object.entries(report).map(([name, { status, reason, variant }]) => {
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = "backend";
      radio.value = name;
      radio.checked = name === active;
      radio.addEventListener("change", () => onPick(name));
      const label = element("label", "", "backend");
      const state = element("small", status === "chosen" ? "chosen" : status, status);
      label.append(radio, element("strong", TITLES[name] ?? name), state);
      label.append(...[variant, reason].filter(Boolean).map((text) => element("small", text)));
      return label;
    }),
  );
}
