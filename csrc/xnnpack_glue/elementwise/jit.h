// Generated modules as functions that C++ calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>

namespace tfpy {

using GeneratedFunction = void (*)(size_t n, void* const* ports);

// A module whose function is made in each thread at its first use there: every thread has its own
// instance of the runtime and its own table of functions.
class GeneratedModule {
 public:
  explicit GeneratedModule(std::string bytes);
  ~GeneratedModule();
  GeneratedModule(const GeneratedModule&) = delete;

  // The function in this thread; null where the browser refuses the module.
  GeneratedFunction function() const;
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t place_;         // in each thread's list of functions
  uint32_t serial_ = 0;  // tells this module from earlier ones of the same place
};

// The module of these bytes: equal bytes share one as long as somebody holds it.
std::shared_ptr<GeneratedModule> generated_module(std::string&& bytes);

// How many modules are in use.
size_t generated_count();

// How often a thread was refused a function.
uint32_t refused_count();

}  // namespace tfpy
