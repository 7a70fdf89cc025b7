/** Functions that wait without blocking the page. */

/** A condition is checked in each turn of the event loop for this long, then every millisecond. */
const EAGER_MS = 10;

/**
 * Resolves when the condition holds, after at least one turn of the event loop.
 *
 * @param {() => boolean} condition
 * @returns {Promise<void>}
 */
export async function until(condition) {
  const start = performance.now();
  do {
    if (performance.now() - start >= EAGER_MS) await sleep();
    await nextTask();
  } while (!condition());
}

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel | undefined} */
let channel;

/**
 * Wait for the next event-loop task. Unlike with setTimeout, pages do not throttle it to 4 ms.
 *
 * @returns {Promise<void>}
 */
export function nextTask() {
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
}

/**
 * Wait for about a millisecond, but not in a timer's task: browsers slow down timers that start timers.
 *
 * @returns {Promise<void>}
 */
function sleep() {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Browsers paint no frames of hidden pages; a wait for a frame ends after this time. */
const LONGEST_FRAME_MS = 100;

/**
 * Wait for the next frame, when earlier drawings are on the screen. Where nothing is painted, wait for
 * a task after the queued ones.
 *
 * @returns {Promise<void>}
 */
export function nextFrame() {
  if (typeof requestAnimationFrame !== "function") return nextTask();
  return new Promise((resolve) => {
    const timer = setTimeout(done, LONGEST_FRAME_MS);
    const frame = requestAnimationFrame(done);
    function done() {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve();
    }
  });
}
