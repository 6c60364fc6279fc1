// SPDX-License-Identifier: Apache-2.0
#include "tests/ust/tested_loader.h"

#include "ust/loader.h"

extern "C" __attribute__((visibility("default"))) const TestedLoader tested_loader = {
    [](std::string* error) { return tracekin::ust::LoadProvider(error); },
    [] { return tracekin::ust::Recorder(); },
};
