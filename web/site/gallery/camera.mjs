// Images from the user's camera.

/** The camera is switched off after this time without a request for an image. */
const IDLE_MS = 3000;

/** @type {HTMLVideoElement | undefined} */
let opened;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let closing;

async function open() {
  const video = document.createElement("video");
  video.muted = video.playsInline = true;
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "user" } });
  await video.play();
  return video;
}

function close() {
  const stream = /** @type {MediaStream} */ (opened?.srcObject);
  for (const track of stream.getTracks()) track.stop();
  opened = undefined;
}

/**
 * Return the mirrored central square of the camera's current image.
 * @param {number} size side in pixels
 * @returns {Promise<ImageBitmap>}
 */
export async function takePicture(size) {
  clearTimeout(closing);
  opened ??= await open();
  const { videoWidth: width, videoHeight: height } = opened;
  const side = Math.min(width, height);
  const canvas = new OffscreenCanvas(size, size);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(-1, 0, 0, 1, size, 0);
  const [left, top] = [(width - side) / 2, (height - side) / 2];
  context.drawImage(opened, left, top, side, side, 0, 0, size, size);
  closing = setTimeout(close, IDLE_MS);
  return canvas.transferToImageBitmap();
}
