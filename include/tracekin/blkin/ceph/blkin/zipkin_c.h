// SPDX-License-Identifier: Apache-2.0
#include "../zipkin_c.h"
