/* The encoder against a long-double transform of size 2n, for inputs that an attacker or a sine
 * would choose: within the bound of spec/ckks.md, section 4. Prints how much of what the bound
 * allows beyond rounding is used, in thousandths. Hosts only. */
#include <math.h>
#include <stdlib.h>

#include "../../src/encode/encode.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"

typedef struct {
    long double re, im;
} complex_number;

typedef struct {
    const fixture *set;
    isopod_encoding encoding;
    double *values;
    uint32_t count;
    complex_number *points; /* 2n */
    complex_number *roots;  /* e^(-pi i k / n), k < n */
} problem;

static const long double pi = 3.14159265358979323846264338327950288L;

static void order_by_reversal(complex_number *x, uint32_t points) {
    for (uint32_t i = 1, j = 0; i < points; i++) {
        uint32_t bit = points >> 1;
        for (; (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
        if (i < j) {
            complex_number swapped = x[i];
            x[i] = x[j];
            x[j] = swapped;
        }
    }
}

static void fourier(complex_number *x, const complex_number *roots, uint32_t points) {
    order_by_reversal(x, points);
    for (uint32_t len = 1; len < points; len *= 2) {
        for (uint32_t p = 0; p < points; p += 2 * len) {
            for (uint32_t t = 0; t < len; t++) {
                complex_number w = roots[points / 2 / len * t], a = x[p + t], b = x[p + t + len];
                complex_number turned = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
                x[p + t] = (complex_number){a.re + turned.re, a.im + turned.im};
                x[p + t + len] = (complex_number){a.re - turned.re, a.im - turned.im};
            }
        }
    }
}

/* m_t = 2/n * 2^s * sum_j z_j cos(pi t 3^j / n): the real part of a transform with z_j at position
 * 3^j. */
static void exact(const problem *problem) {
    uint32_t n = problem->set->n, order = 1;
    for (uint32_t i = 0; i < 2 * n; i++) {
        problem->points[i] = (complex_number){0, 0};
    }
    for (uint32_t j = 0; j < problem->count; j++, order = order * 3 & (2 * n - 1)) {
        problem->points[order].re = (long double)problem->values[j];
    }
    fourier(problem->points, problem->roots, 2 * n);
    for (uint32_t t = 0; t < n; t++) {
        problem->points[t].re = ldexpl(problem->points[t].re * 2 / n, problem->encoding.log2_scale);
    }
}

static int has_message64(const problem *problem) {
    return problem->encoding.log2_scale + problem->encoding.log2_bound > (int)ISOPOD_MESSAGE32_BITS;
}

/* Coefficient t of the packed layout. */
static int64_t coefficient(const problem *problem, const void *message, uint32_t t) {
    int64_t block[ISOPOD_FOLD_BLOCK] = {0};
    if (has_message64(problem)) {
        isopod_message64_add(message, problem->set->n, t & ~15u, block);
        return block[t & 15u];
    }
    int32_t words[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message32_add(message, problem->set->n, t & ~15u, words);
    return words[t & 15u];
}

static const void *encoded(const problem *problem, void *message) {
    isopod_values values = {problem->values, problem->count, ISOPOD_VALUES_FLOAT64};
    CHECK(isopod_values_check(&values, problem->encoding.log2_bound) == ISOPOD_OK);
    if (has_message64(problem)) {
        isopod_encode64(message, problem->set->tables.cosine64, &values, &problem->encoding);
    } else {
        isopod_encode32(message, problem->set->tables.cosine32, &values, &problem->encoding);
    }
    return message;
}

/* Largest error beyond rounding, in units of what the bound allows beyond rounding. */
static long double largest_error(const problem *problem) {
    int bits = problem->encoding.log2_scale + problem->encoding.log2_bound;
    long double allowed = 4 * ldexpl(1, bits - (has_message64(problem) ? 57 : 30)), largest = 0.5L;
    size_t mark = check_memory_mark();
    const void *message = encoded(problem, check_memory((size_t)4 * problem->set->n));
    exact(problem);
    for (uint32_t t = 0; t < problem->set->n; t++) {
        long double error =
            fabsl((long double)coefficient(problem, message, t) - problem->points[t].re);
        largest = error > largest ? error : largest;
    }
    check_memory_release(mark);
    return (largest - 0.5L) / allowed;
}

#define PATTERNS 14u

static uint32_t next_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* The signs of the cosine that coefficient t sums over: the input that makes |m_t| largest. */
static double sign_of_cosine(uint32_t order, uint32_t t, uint32_t n) {
    uint64_t angle = (uint64_t)order * t % (2 * n);
    return 2 * angle < n || 2 * angle > 3 * (uint64_t)n ? 1 : -1;
}

static double unit_value(uint32_t pattern, uint32_t j, uint32_t order, uint32_t n) {
    const uint32_t frequencies[6] = {1, 2, n / 4, n / 2 - 1, n / 3, n - 1};
    switch (pattern) {
    case 0:
    case 1:
        return (int32_t)next_random() / 2147483648.0;
    case 2:
        return 1;
    case 3:
        return -1;
    case 4:
        return j == 0;
    case 5:
        return j == n / 2 - 1 ? -1 : 0;
    case 6:
        return (j & 1u) != 0 ? -1 : 1;
    case 7:
        return (next_random() >> 31) != 0 ? -1 : 1;
    default:
        return sign_of_cosine(order, frequencies[pattern - 8], n);
    }
}

static void fill(problem *problem, uint32_t pattern) {
    uint32_t n = problem->set->n, order = 1;
    problem->count = n / 2;
    for (uint32_t j = 0; j < n / 2; j++, order = order * 3 & (2 * n - 1)) {
        problem->values[j] = ldexp(unit_value(pattern, j, order, n), problem->encoding.log2_bound);
    }
}

static long double check_precision(problem *problem, int bits, int8_t log2_bound) {
    long double worst = 0;
    problem->encoding.log2_bound = log2_bound;
    problem->encoding.log2_scale = (uint8_t)(bits - log2_bound);
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        check_case("pattern", 100 * (uint32_t)bits + pattern);
        fill(problem, pattern);
        long double error = largest_error(problem);
        CHECK(error <= 1);
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* Checks the fast reference against the formula itself. */
static void check_reference(problem *problem) {
    uint32_t n = problem->set->n;
    problem->encoding.log2_scale = 40;
    fill(problem, 0);
    exact(problem);
    for (uint32_t t = 0; t < n; t += 97) {
        long double sum = 0;
        for (uint32_t j = 0, order = 1; j < n / 2; j++, order = order * 3 & (2 * n - 1)) {
            sum += (long double)problem->values[j] *
                   cosl(pi * (long double)((uint64_t)t * order % (2 * n)) / n);
        }
        CHECK(fabsl(ldexpl(sum * 2 / n, 40) - problem->points[t].re) < 0.001L);
    }
}

typedef struct {
    int8_t bits;
    int8_t log2_bound;
} precision;

static const precision precisions[8] = {{30, 0},  {57, 0}, {20, 0}, {27, 10},
                                        {30, -6}, {31, 0}, {40, 3}, {50, -2}};

/* Checks the first `count` precisions. */
static void check_degree(const fixture *set, uint8_t log2_degree, uint32_t count) {
    long double worst[2] = {0, 0};
    problem problem = {set, {log2_degree, 0, 0, set->n / 2, UINT32_MAX, NULL}, NULL, 0, NULL, NULL};
    problem.values = check_memory((size_t)4 * set->n);
    problem.points = check_memory((size_t)2 * set->n * sizeof(complex_number) + 16);
    problem.roots = check_memory((size_t)set->n * sizeof(complex_number) + 16);
    problem.points = (complex_number *)(((uintptr_t)problem.points + 15) & ~(uintptr_t)15);
    problem.roots = (complex_number *)(((uintptr_t)problem.roots + 15) & ~(uintptr_t)15);
    for (uint32_t k = 0; k < set->n; k++) {
        problem.roots[k] = (complex_number){cosl(pi * k / set->n), -sinl(pi * k / set->n)};
    }
    check_reference(&problem);
    for (const precision *at = precisions; at != precisions + count; at++) {
        long double error = check_precision(&problem, at->bits, at->log2_bound);
        worst[at->bits > 30] = error > worst[at->bits > 30] ? error : worst[at->bits > 30];
    }
    check_report("degree", set->n);
    check_report("  32 bits, thousandths used:", (uint64_t)(worst[0] * 1000));
    check_report("  64 bits, thousandths used:", (uint64_t)(worst[1] * 1000));
}

/* The largest degree at the two largest precisions only: it takes as long as all others. */
void test_encode_bound(void) {
    for (uint8_t log2_degree = 10; log2_degree <= 15; log2_degree++) {
        check_memory_reset();
        fixture set = {.n = 1u << log2_degree, .tables = vector_cosines(1u << log2_degree)};
        check_degree(&set, log2_degree, log2_degree == 15 ? 2 : 8);
    }
}
