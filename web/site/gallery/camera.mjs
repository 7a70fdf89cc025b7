// Pictures of the user's camera, while they are wanted.

/** After so long without a picture that is wanted the camera is switched off. */
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
 * The middle of what the camera sees, as in a mirror.
 * @param {number} size in pixels, along each side
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
