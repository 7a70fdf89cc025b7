// Threads receive calls by messages instead of waiting for their mailbox. A promise that waits for
// memory that is never written again would keep a closed module and its memory alive forever.
mergeInto(LibraryManager.library, {
  _emscripten_thread_mailbox_await: function (pthread_ptr) {},
});
