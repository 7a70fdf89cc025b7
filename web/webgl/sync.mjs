/** Waits for the device without blocking the page. */

import { until } from "../common/turns.mjs";
import { contextLost } from "./context.mjs";

/**
 * Resolves when the device has finished all work issued so far.
 *
 * @param {WebGL2RenderingContext} gl
 * @returns {Promise<void>}
 */
export async function fence(gl) {
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (sync === null) throw contextLost();
  gl.flush();
  try {
    await until(() => {
      const status = gl.clientWaitSync(sync, 0, 0);
      if (status === gl.WAIT_FAILED || gl.isContextLost()) {
        throw contextLost();
      }
      return status === gl.ALREADY_SIGNALED || status === gl.CONDITION_SATISFIED;
    });
  } finally {
    gl.deleteSync(sync);
  }
}
