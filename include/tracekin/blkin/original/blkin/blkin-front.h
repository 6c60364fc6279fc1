#include "../blkin-front.h"
