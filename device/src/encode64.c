#include "encode.h"

#include "bit_reverse.h"
#include "fixed64.h"
#include "values.h"

#define WORD int64_t
#define WIDTH 64
#define QUARTER isopod_quarter64
#define DOT isopod_dot64
#define ADD isopod_add64
#define ROUND isopod_round64
#define ENCODE isopod_encode64
#define LOAD isopod_message64_load
#include "encode_template.h"
