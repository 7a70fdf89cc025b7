// How long the page's main thread was away: the longest gap between the ticks of a timer.

const TICK_MS = 10;

/** @returns {{restart: () => number, stop: () => number}} both give the longest gap in milliseconds */
export function watchResponsiveness() {
  let last = performance.now();
  let longest = 0;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  function restart() {
    tick();
    const found = longest;
    longest = 0;
    return found;
  }
  return {
    restart,
    stop() {
      clearInterval(timer);
      return restart();
    },
  };
}
