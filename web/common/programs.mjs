/**
 * The Programs of a GPU backend by their ids.
 *
 * @template {{close: () => void}} Program
 */
export class ProgramTable {
  /** @param {string} backend */
  constructor(backend) {
    this.backend = backend;
    /** @type {Map<number, Program>} */
    this.programs = new Map();
    this.lastId = 0;
  }

  get count() {
    return this.programs.size;
  }

  /**
   * Add a Program and upload its constants; the Program is closed if the upload fails.
   *
   * @param {Program} program
   * @param {(program: Program) => void} upload
   * @returns {number}
   */
  add(program, upload) {
    try {
      upload(program);
    } catch (error) {
      program.close();
      throw error;
    }
    this.programs.set(++this.lastId, program);
    return this.lastId;
  }

  /**
   * @param {number} id
   * @returns {Program}
   */
  get(id) {
    const program = this.programs.get(id);
    if (program === undefined) throw new Error(`${this.backend}: there is no program ${id}`);
    return program;
  }

  /** @param {number} id */
  release(id) {
    const program = this.get(id);
    this.programs.delete(id);
    program.close();
  }

  close() {
    for (const id of [...this.programs.keys()]) this.release(id);
  }
}
