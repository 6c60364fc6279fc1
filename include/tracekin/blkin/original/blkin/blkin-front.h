// SPDX-License-Identifier: Apache-2.0
#include "../blkin-front.h"
