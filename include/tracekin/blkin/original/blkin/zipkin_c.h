#include "../zipkin_c.h"
