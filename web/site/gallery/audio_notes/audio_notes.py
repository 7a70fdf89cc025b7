"""Transcribe a recording into notes with Spotify's basic-pitch, a TFLite network of 0.2 MB."""

import base64
from collections import namedtuple
from itertools import pairwise

import numpy as np
from gallery import open_page
from js import OffscreenCanvas

import tfpy as tf

RATE = 22050  # samples per second
HOP = 256  # samples between the network's frames
WINDOW = 43844  # samples of the network's input: two seconds
EDGE, KEPT = 15, 142  # unused frames at each end of a window, and the frames between
LOWEST = 21  # MIDI pitch of a piano's lowest key, an A
ONSET, SOUNDING, SHORTEST = 0.5, 0.3, 8  # thresholds for onsets and notes; least number of frames
NAMES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"]
HEAT, FOUND = [1.0, 0.56, 0.27], "#4cc38a"

Note = namedtuple("Note", ["start", "seconds", "pitch"])

TUNES = {
    "brother": [60, 62, 64, 60, 60, 62, 64, 60, 64, 65, 67, 0, 64, 65, 67],
    "scale": [48, 50, 52, 53, 55, 57, 59, 60, 62, 64, 65, 67],
    "chords": [(48, 64, 67), (53, 65, 69), (55, 62, 71), (48, 60, 64)],
}


def tune(name):
    """Return the notes of a tune, two per second."""
    beats = [beat if isinstance(beat, tuple) else (beat,) for beat in TUNES[name]]
    return [Note(i / 2, 0.5, p) for i, beat in enumerate(beats) for p in beat if p > 0]


def play(notes):
    """Synthesize notes as plucked strings; return float32 samples."""
    sound = np.zeros(int(RATE * (0.3 + max([n.start + n.seconds for n in notes], default=0.0))))
    for start, seconds, pitch in notes:
        t = np.arange(int(seconds * RATE)) / RATE
        frequency = 440 * 2 ** ((pitch - 69) / 12)
        wave = sum(np.sin(2 * np.pi * frequency * k * t) / k**1.5 for k in range(1, 6))
        shape = np.minimum(1, t / 0.01) * np.minimum(1, (seconds - t) / 0.02) * np.exp(-2 * t)
        sound[int(start * RATE) :][: len(t)] += 0.15 * wave * shape
    return sound.astype(np.float32)


def as_address(sound):
    """Return a sound as a data URL for an audio element."""
    wav = tf.audio.encode_wav(np.clip(sound, -1, 1)[:, None], RATE).numpy()
    return "data:audio/wav;base64," + base64.b64encode(wav).decode()


async def hear(network, sound):
    """Return the probabilities that each key sounds and begins: two arrays [frames, 88]."""
    frames = len(sound) // HOP + 1
    windows = -(-frames // KEPT)
    silence = EDGE * HOP, windows * KEPT * HOP + WINDOW - len(sound)
    sound = np.pad(sound, silence)
    heard = []
    for i in range(windows):
        made = network(sound[i * KEPT * HOP :][:WINDOW].reshape(1, WINDOW, 1))
        both = tf.concat([made["note"], made["onset"]], axis=0)[:, EDGE : EDGE + KEPT]
        heard.append(await both.data())
    return np.concatenate(heard, axis=1)[:, :frames]


def notes_of(sounding, onsets):
    """Find the notes: each ends when its key falls silent or begins again."""
    notes = []
    for key, (heard, begins) in enumerate(zip(sounding.T, onsets.T, strict=True)):
        padded = np.pad(begins, 2)
        highest = np.max([padded[i : i + len(begins)] for i in range(5)], axis=0)
        starts = np.flatnonzero((begins == highest) & (begins > ONSET))
        for start, limit in pairwise([*starts, len(heard)]):
            quiet = np.flatnonzero(heard[start:limit] < SOUNDING)
            frames = quiet[0] if len(quiet) else limit - start
            if frames >= SHORTEST:
                notes.append(Note(start * HOP / RATE, frames * HOP / RATE, LOWEST + key))
    return sorted(notes)


def name_of(pitch):
    return f"{NAMES[pitch % 12]}{pitch // 12 - 1}"


def count_right(notes, given):
    """Count the given notes that were found with an onset within 50 ms."""
    return sum(
        any(n.pitch == known.pitch and abs(n.start - known.start) < 0.05 for n in notes)
        for known in given
    )


async def draw(canvas, sounding, notes):
    """Draw the piano roll: sounding keys glow, and notes are framed."""
    frames, keys = sounding.shape
    heat = OffscreenCanvas.new(frames, keys)
    levels = tf.constant(sounding.T[::-1, :, None] * HEAT, tf.float32)
    await tf.browser.to_pixels_async(levels, heat)
    context, width, height = canvas.getContext("2d"), canvas.width, canvas.height
    context.drawImage(heat, 0, 0, width, height)
    context.strokeStyle, context.lineWidth = FOUND, 2
    second, key = width * RATE / HOP / frames, height / keys
    for start, seconds, pitch in notes:
        top = height - (pitch - LOWEST + 1) * key
        context.strokeRect(start * second, top, seconds * second, key)


page = await open_page()
network = await tf.models.load_async("../models/basic_pitch/nmp.tflite")
while True:
    given = [] if page.values["tune"] == "own" else tune(page.values["tune"])
    sound = play(given) if given else np.asarray(page.values.get("sound", [0.0]), np.float32)
    async for _ in page.frames():
        sounding, onsets = await hear(network, sound)
        notes = notes_of(sounding, onsets)
        await draw(page.canvas["roll"], sounding, notes)
        page.show(
            seconds=len(sound) / RATE,
            notes=len(notes),
            given=len(given) or "–",
            right=count_right(notes, given) if given else "–",
            names=" ".join(name_of(note.pitch) for note in notes) or "No notes found.",
            sound=as_address(sound),
            again=as_address(play(notes)),
        )
