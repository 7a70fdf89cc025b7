/**
 * Periods of a pool. Free storage that was not needed during a whole period, and temporaries of Programs
 * that did not run, are released at its end.
 */

/** A period has at least this many runs and milliseconds, so that it contains each Program of a loop. */
const RUNS = 16;
const MS = 2000;

/** A pool may keep this many bytes without use. */
const SPARE_BYTES = 2 ** 24;

export class Periods {
  constructor() {
    this.runs = 0;
    this.start = performance.now();
    this.neededBytes = 0;
  }

  /**
   * Count a run.
   *
   * @param {number} temporaryBytes bytes of the Program's temporaries
   * @returns {boolean} whether a period ends before this run
   */
  endsBefore(temporaryBytes) {
    const ends = ++this.runs >= RUNS && performance.now() - this.start >= MS;
    if (!ends) this.neededBytes = Math.max(this.neededBytes, temporaryBytes);
    return ends;
  }

  /**
   * Begin a period.
   *
   * @param {number} temporaryBytes bytes of the temporaries of the next Program
   */
  begin(temporaryBytes) {
    this.runs = 0;
    this.start = performance.now();
    this.neededBytes = temporaryBytes;
  }

  /**
   * @param {number} temporaryBytes bytes of a pool's temporaries
   * @returns {boolean} whether most of them were not needed in this period
   */
  wastes(temporaryBytes) {
    return temporaryBytes > 2 * this.neededBytes + SPARE_BYTES;
  }
}
