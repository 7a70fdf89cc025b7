// Makes the functions of generated modules callable from C++.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>

namespace tfpy {

using GeneratedFunction = void (*)(size_t n, void* const* ports);

// A module with a function that is instantiated in each thread at its first use: every thread has
// its own instance of the runtime and its own function table.
class GeneratedModule {
 public:
  explicit GeneratedModule(std::string bytes);
  ~GeneratedModule();
  GeneratedModule(const GeneratedModule&) = delete;

  // Returns the function in this thread; null if the browser rejects the module.
  GeneratedFunction function() const;
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t place_;         // index in each thread's list of functions
  uint32_t serial_ = 0;  // distinguishes this module from earlier ones at the same place
};

// Returns the module of these bytes; equal bytes share a module while it is in use.
std::shared_ptr<GeneratedModule> generated_module(std::string&& bytes);

// Returns the number of modules in use.
size_t generated_count();

// Returns how often a function was rejected in a thread.
uint32_t refused_count();

}  // namespace tfpy
