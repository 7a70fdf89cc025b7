// Headers of the standard library that CMakeLists.txt precompiles: reading them takes longer than
// compiling most files. Files include what they use all the same.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>
