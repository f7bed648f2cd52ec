/* A set with a ternary key, a context and the encryptor of the known sender, for tests of packets.
 */
#ifndef ISOPOD_TEST_PACKET_INPUT_H
#define ISOPOD_TEST_PACKET_INPUT_H

#include "../harness/vector_input.h"

#include "isopod/packet.h"

typedef struct {
    fixture set;
    isopod_packet_config config;
    isopod_packet_encryptor encryptor;
    isopod_packet_context context;
    isopod_values values;
} packet_fixture;

/* Opens set and key, and configures ten readings of 12 bits, or of BFV within 2000, by the stream,
 * with a workspace of exactly the bytes that the public macros promise. Memory from check_memory.
 */
void packet_fixture_open(packet_fixture *fixture, const isopod_params *params);

/* Gives the encryptor the bytes that the method needs for this context. */
void packet_workspace(packet_fixture *fixture);

/* Entropy and sequence of the known answers, which may come again. */
void packet_repeat(packet_fixture *fixture);

#endif
