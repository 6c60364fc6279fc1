#include "../ztracer.hpp"
