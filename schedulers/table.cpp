#include "schedulers/table.hpp"
