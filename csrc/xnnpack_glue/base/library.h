// Headers of the standard library that CMakeLists.txt precompiles, because reading them takes
// longer than compiling most files. Files still include the headers that they use.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>
