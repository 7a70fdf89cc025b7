// Describes the responses of servers in errors. The runner of exported programs includes this module.

/** Return the status and the type of a response. @param {Response} response */
export function shownResponse({ status, statusText, headers }) {
  const type = headers.get("Content-Type") ?? "no content type";
  return `${status}${statusText && ` ${statusText}`}, ${type}`;
}

/**
 * Return the reason why a response is not the requested file. Many servers return an HTML page for a missing file.
 * @param {Response} response
 * @param {string} advice for an HTML page
 * @returns {string} empty if the response can be the file
 */
export function refusal(response, advice) {
  if (!response.ok) return `${shownResponse(response)}; the server did not send the file`;
  if (!response.headers.get("Content-Type")?.startsWith("text/html")) return "";
  const page = "the server returned an HTML page instead of the file";
  return `${shownResponse(response)}; ${page} (${advice})`;
}

/** Advice for files of the project. */
export const IN_PUBLIC = "check the URL; with Vite, put the file into the folder public/";
