"""Scripts that use the gallery's pages, and conditions that show that a page works."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from buildsys.paths import ROOT
from tfpy.testing.sessions import OpenPage

GALLERY = ROOT / "web" / "site" / "gallery"
SECONDS = 120.0
SOFTWARE = "tfpyflags=SOFTWARE_WEBGL_ENABLED:true,WEBGPU_SOFTWARE_ENABLED:true"


@dataclass(frozen=True)
class Case:
    """A page of the gallery in use.

    Attributes:
        done: JavaScript condition, true once the page has done its work. `text(id)` and
            `number(id)` return the content of an element, `use(id, value)` operates a control,
            `press(id, key)` presses a key on a canvas, and `until(test)` waits.
        begin: JavaScript to run when the page is ready.
        picture: Like `done`, for the image of the page, which may take longer. "" means the same.
    """

    name: str
    done: str
    begin: str = "use('run')"
    backend: str = "wasm"
    picture: str = ""


CASES = [
    Case(
        "pose",
        begin="""
            use("run");
            await until(() => number("found") >= 12 && number("off") < 6);
            use("pictures", "camera");""",
        done="text('off') === '–' && text('camera') === ''",
        picture="use('pictures', 'drawn') ?? number('found') >= 12",
    ),
    Case(
        "hands",
        begin="""
            use("run");
            await until(() => number("found") === 2 && number("off") < 10);
            use("pictures", "camera");""",
        done="text('off') === '–' && text('camera') === ''",
        picture="use('pictures', 'drawn') ?? number('found') === 2",
    ),
    Case(
        "teachable_machine",
        begin="""
            use("run");
            for (const [subject, kind] of [["fish", "a"], ["house", "b"]]) {
              use("subject", subject);
              use(`add_${kind}`);
              await until(() => number(`count_${kind}`) === 8);
            }
            use("train");
            await until(() => text("answer") === "B");
            use("subject", "fish");""",
        done="number('accuracy') >= 90 && text('answer') === 'A'",
    ),
    Case(
        "tsne",
        begin="use('count', '250'); use('run');",
        done="number('same') > 80",
        backend="webgl",
        picture="number('step') >= 600",
    ),
    Case(
        "style",
        "number('step') >= 10 && number('style_loss') < 0.15",
        picture="number('step') >= 250",
    ),
    Case("gan_lab", "number('distance') < 0.08", picture="number('step') >= 1000"),
    Case(
        "game_of_life",
        "number('living') === 5 && number('generation') >= 20"
        " && Math.abs(number('row') - 257 - number('generation') / 4) < 1",
        begin="use('pattern', 'glider'); use('run')",
        picture="number('living') > 5 ? number('generation') >= 150 : use('pattern', 'soup')",
    ),
    Case(
        "fluid",
        "number('step') >= 10 && number('after') < number('before') / 3",
        picture="number('step') >= 250",
    ),
    Case(
        "regression",
        "number('points') === 25 && number('polynomial') < 0.2 && number('network') < 0.15",
        begin="press('plane', ' '); use('run')",
        picture="number('network') < 0.03",
    ),
    Case(
        "mcmc",
        "number('samples') >= 5000 && number('error') < 0.1"
        " && /^\\d+,\\d{3}$/.test(text('samples')) && /^\\d+ %$/.test(text('taken'))",
        picture="number('samples') >= 100000",
    ),
    Case(
        "text_generator",
        "number('loss') < 2.9 && text('written').length > 100",
        picture="number('loss') < 0.5 && number('step') % 20 === 0",
    ),
    Case("chat", "text('written').includes('Paris') && text('run') === 'Ask'"),
    Case("search", "number('similarity') > 0.4 && text('written').includes('Dolphins')"),
    Case(
        "fine_tuning",
        begin="use('rate', -2); use('run')",
        done="number('step') >= 6 && number('loss') < 3",
        picture="text('written').startsWith('Arr, the ocean')",
    ),
    Case("audio_notes", "number('right') === 14 && number('notes') === 14", begin=""),
    Case(
        "time_series",
        "number('loss') < 0.02 && number('near') < 0.17",
        picture="number('near') < 0.06",
    ),
]

RUN = """(async (address, size, begin, done) => {
  document.body.innerHTML = `<iframe src="${address}" style="${size}; border: 0"></iframe>`;
  document.body.style.margin = 0;
  const frame = document.querySelector("iframe");
  await new Promise((resolve) => frame.addEventListener("load", resolve));
  const page = frame.contentDocument;
  const until = async (test) => {
    while (!(await test())) {
      if (page.querySelector(".tfpy-error")) throw new Error(text(".tfpy-error"));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const text = (id) => page.querySelector(id.startsWith(".") ? id : `#${id}`).innerText;
  const number = (id) => Number.parseFloat(text(id).replaceAll(",", ""));
  const use = (id, value) => {
    const control = page.getElementById(id);
    if (value === undefined) return control.click();
    control.value = value;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const press = (id, key) => {
    for (const type of ["keydown", "keyup"]) {
      page.getElementById(id).dispatchEvent(new KeyboardEvent(type, { key }));
    }
  };
  const { constructor: AsyncFunction } = async () => {};
  const names = { text, number, use, until, press };
  const run = (code) => new AsyncFunction(...Object.keys(names), code)(...Object.values(names));
  await until(() => page.body.dataset.phase === "ready");
  await run(begin);
  await until(() => run(`return ${done}`));
  return {
    width: page.documentElement.scrollWidth, inner: page.documentElement.clientWidth,
    backend: page.querySelector("input[name=backend]:checked").value,
  };
})"""


def run(page: OpenPage, case: Case, width: int, height: int) -> dict[str, Any]:
    """Run a page in a frame of a blank page until its work is done."""
    address = f"/gallery/{case.name}/index.html?backend={case.backend}&{SOFTWARE}"
    size = f"width: {width}px; height: {height}px"
    arguments = ", ".join(map(json.dumps, (address, size, case.begin, case.done)))
    found: dict[str, Any] = page.evaluate(f"{RUN}({arguments})", SECONDS)
    return found
