#include "encode.h"

#include "bit_reverse.h"
#include "fixed32.h"
#include "values.h"

#define WORD int32_t
#define WIDTH 32
#define QUARTER isopod_quarter32
#define DOT isopod_dot32
#define ADD isopod_add32
#define ROUND isopod_round32
#define ENCODE isopod_encode32
#define LOAD isopod_message32_load
#include "encode_template.h"
