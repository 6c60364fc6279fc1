// SPDX-License-Identifier: Apache-2.0
// Finds the project's own shared objects that are loaded by name, because most hosts do without
// what they need.
//
// Thread-safety: any thread may call this at any time. A fork waits until it has returned, for a
// second at most, so that the child can load modules as well.
#ifndef TRACEKIN_BASE_OPEN_MODULE_H
#define TRACEKIN_BASE_OPEN_MODULE_H

#include <dlfcn.h>

#include <string>

namespace tracekin {

/// NODELETE, for somebody keeps pointers into a module. LOCAL, for nobody else is to bind to it.
constexpr int kModuleMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

/// dlopen() of `file`, a name without folder: the one in the folder of the object that holds this
/// code, symbolic links resolved, else by the dynamic loader's search path. Null if it is not there
/// or does not load; dlerror() says why. It stays loaded for the life of the process.
void* OpenModule(const std::string& file);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_OPEN_MODULE_H
