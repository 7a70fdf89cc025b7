"""The commands of build.py."""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from . import assets, checks, docs, doctor, glue, pyenv, release, site, wheel
from .console import BuildError, run_shown
from .paths import ASSETS, BUILD, CACHE, DIST, ROOT
from .server import SiteServer

Command = Callable[[argparse.Namespace], int]
DEFAULT_PORT = 8000


def demo(options: argparse.Namespace) -> int:
    """Build and serve the demo, then build the rest; with --check, test the demo in Chromium."""
    files = site.demo_files()
    folder = site.publish(files)
    if options.check:
        return _check_demo(folder, options)
    mounts: dict[str, Path] = {}
    isolated = not options.no_isolation
    try:
        server = SiteServer(folder, port=options.port, isolated=isolated, mounts=mounts)
    except OSError as error:
        raise BuildError(f"port {options.port}: {error.strerror}; choose another: --port") from None
    with server, suppress(KeyboardInterrupt):
        print(f"\nThe demo is at {server.url} (Ctrl-C ends)", flush=True)
        print("h5py, the networks of the gallery and the documentation follow", flush=True)
        _tried(lambda: site.publish(files | site.other_files()))
        _tried(lambda: mounts.update(docs=docs.ensure()))
        while True:
            time.sleep(3600)
    return 0


def _tried(build: Callable[[], object]) -> None:
    """Build a part that the demo does not need, and report a failure."""
    try:
        build()
    except BuildError as error:
        print(error, flush=True)


def _check_demo(folder: Path, options: argparse.Namespace) -> int:
    checks.prepare_browsers()
    code = "import sys; from e2e.demo_check import main; sys.exit(main(*sys.argv[1:]))"
    with SiteServer(folder, isolated=not options.no_isolation) as server:
        results = options.json.resolve() if options.json else ""
        argv = [pyenv.ensure("build"), "-c", code, server.url, results]
        return run_shown(argv, cwd=ROOT, env=pyenv.importing("src"))


def test(options: argparse.Namespace) -> int:
    """Run all tests: static checks, Python tests, tests in browsers. With arguments, run pytest
    with them on the Python tests that need no build."""
    if options.rest:
        return checks.python_tests(options.rest)
    failed = checks.check() + checks.unit_tests() + checks.end_to_end_tests([])
    if failed:
        print(f"\nbuild.py: {failed} of the steps above FAILED", flush=True)
    return int(failed > 0)


def check(options: argparse.Namespace) -> int:
    """Run the static checks: ruff, mypy, import-linter, tsc, biome, clang-format."""
    return int(checks.check(options.only or (), fix=options.fix) > 0)


def coverage(options: argparse.Namespace) -> int:
    """Count the ops that each backend computes natively, composed or on the host."""
    return checks.coverage(["--write"] if options.write else [])


def face(options: argparse.Namespace) -> int:
    """Generate the public modules from api.toml and the op table."""
    return checks.face([])


def e2e(options: argparse.Namespace) -> int:
    """Run the tests in browsers. Other arguments are passed to pytest."""
    return checks.end_to_end_tests(options.rest)


def fuzz(options: argparse.Namespace) -> int:
    """Compare random programs with TensorFlow, and run broken Programs on the runtimes."""
    checks.prepare_browsers()
    site.ensure()
    argv = [str(pyenv.ensure("test")), "-m", "fuzz", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def keras_tests(options: argparse.Namespace) -> int:
    """Run Keras's own tests on tfpy: all of keras/src, or the named folders."""
    argv = [str(pyenv.ensure("keras")), "-m", "keras_suite", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests"))


def onnx_tests(options: argparse.Namespace) -> int:
    """Run the test cases of the package onnx with tfpy, or the named ones."""
    argv = [str(pyenv.ensure("onnx")), "-m", "onnx_suite", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def tensorflow_tests(options: argparse.Namespace) -> int:
    """Run TensorFlow's own tests, in the folders of a checkout, with TensorFlow and with tfpy."""
    return _compared("tensorflow_suite", options.rest)


def program_tests(options: argparse.Namespace) -> int:
    """Run the notebooks and scripts of folders, statement by statement, with both libraries."""
    return _compared("tensorflow_suite.programs", options.rest)


def _compared(module: str, words: list[str]) -> int:
    """Run a module that runs something with TensorFlow and with tfpy."""
    argv = [str(pyenv.ensure("test")), "-m", module, *words]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests"))


def hub_tests(options: argparse.Namespace) -> int:
    """Run KerasHub's own tests, in a checkout of its repository, on TensorFlow and on tfpy."""
    argv = [str(pyenv.ensure("hub_tests")), "-m", "library_suite.hub", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def hub_families(options: argparse.Namespace) -> int:
    """Compare a small model of each family of KerasHub on TensorFlow and on tfpy."""
    argv = [str(pyenv.ensure("hub_tests")), "-m", "hub_families", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def llama_cpp_tests(options: argparse.Namespace) -> int:
    """Compare the tokens of models in GGUF files with llama.cpp, for each format of weights."""
    assets.ensure()
    argv = [str(pyenv.ensure("hub_tests")), "-m", "llama_cpp_suite", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def libraries(options: argparse.Namespace) -> int:
    """Run the tests of libraries for TensorFlow on TensorFlow and on tfpy, or of the named ones."""
    argv = [str(pyenv.ensure("libraries")), "-m", "library_suite", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def bench(options: argparse.Namespace) -> int:
    """Compare the speed of tfpy and other libraries in one browser."""
    checks.prepare_browsers()
    run = [pyenv.ensure("bench"), "-m", "bench.run", site.ensure()]
    return run_shown([*run, *options.rest], cwd=ROOT, env=pyenv.importing("src"))


def soak(options: argparse.Namespace) -> int:
    """Do random work on each backend for a long time, and check values and memory."""
    checks.prepare_browsers()
    run = [pyenv.ensure("build"), "-m", "bench.soak", site.ensure()]
    return run_shown([*run, *options.rest], cwd=ROOT, env=pyenv.importing("src"))


def wasm(options: argparse.Namespace) -> int:
    """Compile the XNNPACK modules of the wasm backend."""
    for variant in options.variant or glue.VARIANTS:
        for file in glue.ensure(variant):
            print(f"{file.stat().st_size:>9} bytes  {file}")
    return 0


def build_wheel(options: argparse.Namespace) -> int:
    """Build the wheel in dist/ and the site in build/site."""
    site.ensure()
    file = DIST / wheel.file_name()
    print(f"{file.stat().st_size:>9} bytes  {file}")
    return 0


def pictures(options: argparse.Namespace) -> int:
    """Make the images of the gallery's pages in docs/gallery, or of the named pages."""
    checks.prepare_browsers()
    site.ensure()
    argv = [str(pyenv.ensure("build")), "-m", "e2e.gallery_pictures", *options.rest]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "."))


def make_docs(options: argparse.Namespace) -> int:
    """Build the pages of the documentation, which are in the folder docs/ of a release's site."""
    print(docs.ensure())
    return 0


def make_release(options: argparse.Namespace) -> int:
    """Build the files of a release in dist/release: wheel, sources, site, npm package, digests."""
    for file in sorted(release.ensure(options.tag).iterdir()):
        print(f"{file.stat().st_size:>9} bytes  {file}")
    return 0


def clean(options: argparse.Namespace) -> int:
    """Remove build results from the clone."""
    for folder in (BUILD, DIST, ASSETS, *([CACHE] if options.cache else [])):
        if folder.exists():
            print(f"removing {folder}")
            shutil.rmtree(folder)
    link = ROOT / "node_modules"
    if link.is_symlink():
        link.unlink()
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Report what is installed, what is missing, and the command that installs it."""
    return doctor.report()


PASSING_ON = (
    *(bench, e2e, fuzz, hub_families, hub_tests, keras_tests, libraries, llama_cpp_tests),
    *(onnx_tests, pictures, program_tests, soak, tensorflow_tests, test),
)
"""Commands that pass their arguments to another program."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="build.py",
        description="Build, show and test tfpy. Each command does the set-up it needs.",
        epilog=f"Slow build results are cached in {CACHE}, or in the folder that TFPY_CACHE names.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, command: Command) -> argparse.ArgumentParser:
        text = command.__doc__ or ""
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(command=command)
        return made

    made = add("demo", demo)
    made.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="port of the server (default: %(default)s)"
    )
    made.add_argument("--no-isolation", action="store_true", help="serve without the headers that"
                      " isolate the page from other origins, so without threads")  # fmt: skip
    made.add_argument("--check", action="store_true", help="open the page in headless Chromium on"
                      " each backend in turn, and print a table")  # fmt: skip
    made.add_argument("--json", type=Path, metavar="FILE", help="file for the results of --check")
    add("test", test)
    made = add("check", check)
    made.add_argument("--only", action="append", choices=checks.CHECKS, help="run only this check;"
                      " can be repeated")  # fmt: skip
    made.add_argument("--fix", action="store_true", help="edit files where a check can fix them")
    add("face", face)
    made = add("coverage", coverage)
    made.add_argument("--write", action="store_true", help="also write docs/ops.md")
    add("e2e", e2e)
    add("fuzz", fuzz)
    add("hub-families", hub_families)
    add("hub-tests", hub_tests)
    add("llama-cpp-tests", llama_cpp_tests)
    add("keras-tests", keras_tests)
    add("onnx-tests", onnx_tests)
    add("tensorflow-tests", tensorflow_tests)
    add("program-tests", program_tests)
    add("libraries", libraries)
    add("bench", bench)
    add("soak", soak)
    made = add("wasm", wasm)
    made.add_argument("--variant", action="append", choices=glue.VARIANTS, help="only this one")
    add("wheel", build_wheel)
    add("docs", make_docs)
    add("pictures", pictures)
    made = add("release", make_release)
    made.add_argument("--tag", help="tag of the release, which must be v and the"
                      " version")  # fmt: skip
    made = add("clean", clean)
    made.add_argument("--cache", action="store_true", help=f"also remove {CACHE}")
    add("doctor", run_doctor)
    return parser


def main() -> int:
    """Run the command of the command line, and return its exit status."""
    parser = _parser()
    options, rest = parser.parse_known_args()
    if rest and options.command not in PASSING_ON:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    options.rest = rest[1:] if rest[:1] == ["--"] else rest
    try:
        command: Command = options.command
        return command(options)
    except BuildError as error:
        print(f"\nbuild.py: {error}", flush=True)
        return 1
    except KeyboardInterrupt:
        print("\nbuild.py: interrupted", flush=True)
        return 130
