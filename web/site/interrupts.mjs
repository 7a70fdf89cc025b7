// Interrupts the Python code of a page or worker: its running calls raise KeyboardInterrupt.

/** Python code that must run before tfpy is imported, because tfpy keeps the signal handler that it finds. */
const INTERRUPTS = `
import asyncio, signal

LOOP = asyncio.get_event_loop()
LOOP._keyboard_interrupt_handler = lambda: None  # the interrupted call reports the error
CALLS = {"eval_code_async", "as_javascript.<locals>.call", "run_cell"}
INNER = ("asyncio", "pyodide", "_pyodide", "tfpy")

def install(postpone):
    plain = signal.getsignal(signal.SIGINT)

    def on_interrupt(number, frame):
        name = str(frame.f_globals.get("__name__")) if frame else ""
        if asyncio.current_task(LOOP) is None and name.partition(".")[0] in INNER:
            postpone()  # an error between two tasks would not reach the call
        else:
            plain(number, frame)

    signal.signal(signal.SIGINT, on_interrupt)

def interrupt_awaited(task):
    awaited = task._fut_waiter
    while isinstance(awaited, asyncio.Task) and awaited._fut_waiter is not None:
        awaited = awaited._fut_waiter
    if awaited is None or isinstance(awaited, asyncio.Task) or awaited.done():
        return False
    awaited.set_exception(KeyboardInterrupt())
    return True

def interrupt_waiting():
    tasks = asyncio.all_tasks(LOOP)
    calls = [task for task in tasks if getattr(task.get_coro(), "__qualname__", "") in CALLS]
    return any([interrupt_awaited(task) for task in calls])

install, interrupt_waiting
`;

const SIGINT = 2;

/**
 * Prepare Python for interrupts.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {Int32Array} signals its first element becomes SIGINT to interrupt Python; another thread may write it too
 * @returns {() => void} interrupts Python; to be called while Python is waiting
 */
export function interrupter(pyodide, signals) {
  const [install, interruptWaiting] = pyodide.runPython(INTERRUPTS, { globals: pyodide.toPy({}) });
  const postpone = () => {
    signals[0] = SIGINT;
  };
  install(postpone);
  pyodide.setInterruptBuffer(signals);
  return () => {
    if (!interruptWaiting()) postpone();
  };
}
