// The user's own sounds: a file, or five seconds from the microphone.

import { tell } from "../gallery.mjs";

const RATE = 22050; // the network's sample rate
const SECONDS = 5;

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);

/** @param {Blob} recording of any kind that the browser plays */
async function send(recording) {
  const context = new OfflineAudioContext(1, 1, RATE);
  const decoded = await context.decodeAudioData(await recording.arrayBuffer());
  $("tune").value = "own";
  tell({ tune: "own", sound: decoded.getChannelData(0) }, true);
}

/** @returns {Promise<Blob>} */
async function record() {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    const recorder = new MediaRecorder(stream);
    /** @type {Blob[]} */
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    setTimeout(() => recorder.stop(), 1000 * SECONDS);
    await new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    return new Blob(parts, { type: recorder.mimeType });
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

/** @param {() => Promise<Blob | undefined>} take @param {string} doing */
async function use(take, doing) {
  $("trouble").textContent = doing;
  try {
    const recording = await take();
    if (recording) await send(recording);
    $("trouble").textContent = "";
  } catch (error) {
    $("trouble").textContent = `This sound cannot be used: ${error}`;
  }
}

$("file").addEventListener("change", () => use(async () => $("file").files[0], ""));
$("record").addEventListener("click", () => use(record, "Recording for five seconds."));
