// SPDX-License-Identifier: Apache-2.0
// Loads the project's own shared objects by name at run time, because most hosts do not have the
// libraries that those objects need.
//
// Thread-safety: any thread may call this at any time. A fork waits for up to one second until it
// has returned, so that the child can load modules as well.
#ifndef TRACEKIN_BASE_OPEN_MODULE_H
#define TRACEKIN_BASE_OPEN_MODULE_H

#include <dlfcn.h>

#include <string>

namespace tracekin {

/// NODELETE because other code keeps pointers into a module. LOCAL because no other object should
/// bind to its symbols.
constexpr int kModuleMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

/// Calls dlopen() for `file`, a name without a folder. Prefers the file in the folder of the object
/// that contains this code (with symbolic links resolved) over the dynamic loader's search path.
/// Returns null if it is missing or cannot be loaded, and dlerror() has the reason. The module
/// stays loaded for the life of the process.
void* OpenModule(const std::string& file);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_OPEN_MODULE_H
