/* The encoders of CKKS (spec/ckks.md, section 4), one for each layout and message size. An encoder
 * is linked only where a configuration names it. */
#ifndef ISOPOD_ENCODER_H
#define ISOPOD_ENCODER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Largest log2_scale + log2_bound of a 32-bit message. Larger ones, up to 57, are 64-bit messages,
 * which take twice the bytes. */
#define ISOPOD_MESSAGE32_BITS 30u

/* Names end in the message size. An encoder of 64-bit messages also encodes 32-bit ones, to the
 * same words and in the same memory as its counterpart. */
typedef struct isopod_encoder isopod_encoder;
extern const isopod_encoder isopod_encoder_slots32; /* the default */
extern const isopod_encoder isopod_encoder_slots64;
extern const isopod_encoder isopod_encoder_complex32;
extern const isopod_encoder isopod_encoder_complex64;
extern const isopod_encoder isopod_encoder_coefficients32;
extern const isopod_encoder isopod_encoder_coefficients64;

#ifdef __cplusplus
}
#endif

#endif
