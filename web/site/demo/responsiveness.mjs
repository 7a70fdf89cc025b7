// Measures how long the page's main thread was blocked: the longest gap between the ticks of a timer.

const TICK_MS = 10;

/** @returns {{stop: () => number}} stop returns the longest gap since the start, in milliseconds */
export function watchResponsiveness() {
  let last = performance.now();
  let longest = 0;
  function tick() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  const timer = setInterval(tick, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      tick();
      return longest;
    },
  };
}
