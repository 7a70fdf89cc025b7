/** Waiting while the page has its turns. */

/** For this long a condition is asked at each turn of the event loop, then each millisecond. */
const EAGER_MS = 10;

/**
 * Resolves when the condition holds, after one turn of the event loop at least.
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
 * The next turn of the event loop; unlike setTimeout, pages do not slow it down to 4 ms.
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
 * About a millisecond, if no timer's task asks for it: browsers slow down timers that start timers.
 *
 * @returns {Promise<void>}
 */
function sleep() {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Browsers paint no frames of pages that nobody sees; what waits for one goes on after this time. */
const LONGEST_FRAME_MS = 100;

/**
 * The next frame: what was drawn before is on the screen then. Where nothing is painted, a task
 * after the others.
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
