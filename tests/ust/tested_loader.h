// SPDX-License-Identifier: Apache-2.0
// A copy of the loader in a separate shared object, so that a test can choose the files next to it.
#ifndef TRACEKIN_TESTS_UST_TESTED_LOADER_H
#define TRACEKIN_TESTS_UST_TESTED_LOADER_H

#include <string>

#include "ust/recorder.h"

struct TestedLoader {
  bool (*load)(std::string* error);
  const tracekin_ust_recorder* (*recorder)();
};

#endif  // TRACEKIN_TESTS_UST_TESTED_LOADER_H
