/* Answers in coefficients that travel rounded, by the rules of spec/vectors/rounded.json. */
#ifndef ISOPOD_TEST_ROUNDED_RESULT_H
#define ISOPOD_TEST_ROUNDED_RESULT_H

#include "result_input.h"

/* Writes the message of CKKS: n numbers of the rule f32 times the claim's scale. */
void rounded_words(const fixture *set, const result_input *input, int64_t *words);

/* Writes rounded and packed c0, at the places of the claim, and c1; returns the place behind. */
uint8_t *rounded_answers(const fixture *set, const result_input *input, const int64_t *words,
                         uint8_t *at);

#endif
