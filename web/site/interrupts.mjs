// Interrupts the Python code of a page or worker: its running calls raise KeyboardInterrupt.

/** Python code that must run before tfpy is imported, because tfpy keeps the signal handler that it finds. */
const INTERRUPTS = `
import asyncio, inspect, signal, sys

LOOP = asyncio.get_event_loop()
LOOP._keyboard_interrupt_handler = lambda: None  # the interrupted call reports the error
CALLS = {"eval_code_async", "as_javascript.<locals>.call", "run_cell"}
INNER = sys.stdlib_module_names | {"pyodide", "_pyodide", "tfpy"}
MONITORING = sys.monitoring  # unlike sys.settrace, it covers every thread state of Pyodide
TOOL = 4  # an ID without a predefined use

def install(postpone):
    plain = signal.getsignal(signal.SIGINT)

    def on_interrupt(number, frame):
        if is_of_program(frame):
            plain(number, frame)
        elif running_calls():
            interrupt_next_line()  # an error between two tasks would not reach a call
        else:
            postpone()  # a call begins soon

    signal.signal(signal.SIGINT, on_interrupt)

def is_of_program(frame):
    """Return whether the frame or one of its callers belongs to a program or a call, not to the event loop or Pyodide."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.partition(".")[0] not in INNER or frame.f_code.co_flags & inspect.CO_COROUTINE:
            return True
        frame = frame.f_back
    return False

def interrupt_next_line():
    """Interrupt the next line that belongs to a program."""
    if MONITORING.get_tool(TOOL) is None:
        MONITORING.use_tool_id(TOOL, "tfpy-interrupts")
        MONITORING.register_callback(TOOL, MONITORING.events.LINE, on_line)
    MONITORING.set_events(TOOL, MONITORING.events.LINE)

def on_line(code, line):
    frame = sys._getframe(1)
    if is_of_program(frame):
        MONITORING.set_events(TOOL, MONITORING.events.NO_EVENTS)
        signal.getsignal(signal.SIGINT)(signal.SIGINT, frame)

def interrupt_awaited(task):
    awaited = task._fut_waiter
    while isinstance(awaited, asyncio.Task) and awaited._fut_waiter is not None:
        awaited = awaited._fut_waiter
    if awaited is None or isinstance(awaited, asyncio.Task) or awaited.done():
        return False
    awaited.set_exception(KeyboardInterrupt())
    awaited.set_result = awaited.set_exception = lambda _: None  # its timer or request may end now
    return True

def running_calls():
    tasks = asyncio.all_tasks(LOOP)
    return [task for task in tasks if getattr(task.get_coro(), "__qualname__", "") in CALLS]

def interrupt_waiting():
    return any([interrupt_awaited(task) for task in running_calls()])

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
  const signal = () => {
    signals[0] = SIGINT;
  };
  install(signal);
  pyodide.setInterruptBuffer(signals);
  return () => {
    if (!interruptWaiting()) signal();
  };
}
