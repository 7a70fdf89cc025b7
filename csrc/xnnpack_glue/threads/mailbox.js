// A thread hears of calls by messages, not by waiting for its mailbox: a promise that waits for memory
// which nobody writes any more would keep a closed module, with its memory, for ever.
mergeInto(LibraryManager.library, {
  _emscripten_thread_mailbox_await: function (pthread_ptr) {},
});
