/* The sender's side of a transfer (spec/link.md, section 2): selective repeat within the memory
 * that the caller gives. */
#include "isopod/link.h"

#include "../base/memory.h"
#include "packet.h"

#define MOST_PACKETS 65535u

ISOPOD_SMALL isopod_status isopod_link_begin(isopod_link *link, void *memory, size_t bytes,
                                             uint16_t packet_bytes, uint16_t transfer) {
    isopod_wipe(link, sizeof *link);
    if (packet_bytes < ISOPOD_LINK_ACKNOWLEDGEMENT_BYTES || bytes < packet_bytes) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    size_t slots = bytes / packet_bytes;
    link->memory = memory;
    link->packet_bytes = packet_bytes;
    link->transfer = transfer;
    link->slots = (uint8_t)(slots < ISOPOD_LINK_WINDOW ? slots : ISOPOD_LINK_WINDOW);
    return ISOPOD_OK;
}

/* The state of a transfer that has begun. */
/*@ predicate is_begun(isopod_link *link) =
        \valid(link) && link->first <= link->next && link->next - link->first <= link->slots &&
        1 <= link->slots <= 32 && link->packet_bytes >= 9 &&
        \valid(link->memory + (0 .. link->slots * link->packet_bytes - 1)) &&
        \separated(link, link->memory + (0 .. link->slots * link->packet_bytes - 1)); */

/* Packets that are given and not acknowledged. */
/*@ requires \valid_read(link) && link->first <= link->next;
    assigns \nothing;
    ensures \result == link->next - link->first; */
static uint32_t held(const isopod_link *link) {
    return (uint32_t)link->next - link->first;
}

/*@ requires is_begun(link);
    assigns \nothing;
    ensures \result == link->memory + (number % link->slots) * link->packet_bytes;
    ensures \valid(\result + (0 .. link->packet_bytes - 1));
    ensures \separated(link, \result + (0 .. link->packet_bytes - 1)); */
static uint8_t *slot_of(const isopod_link *link, uint32_t number) {
    //@ assert 0 <= (number % link->slots) * link->packet_bytes;
    //@ assert (number % link->slots + 1) * link->packet_bytes <= link->slots * link->packet_bytes;
    return link->memory + (size_t)(number % link->slots) * link->packet_bytes;
}

/*@ requires is_begun(link) && \valid(room) && \separated(link, room);
    assigns *room;
    ensures *room == 0 || *room == link->packet_bytes - 5;
    ensures \result != \null ==> link->next - link->first < link->slots; */
uint8_t *isopod_link_room(isopod_link *link, size_t *room) {
    *room = 0;
    if (link->has_ended || held(link) == link->slots) {
        return NULL;
    }
    *room = link->packet_bytes - ISOPOD_LINK_HEADER_BYTES;
    return slot_of(link, link->next) + ISOPOD_LINK_HEADER_BYTES;
}

/*@ requires link->memory == \null || is_begun(link);
    requires \valid(link);
    assigns link->lengths[0 .. 31], link->waiting, link->next, link->has_ended,
            link->memory[..];
    ensures \old(link->memory) != \null ==> is_begun(link); */
ISOPOD_SMALL isopod_status isopod_link_give(isopod_link *link, size_t length, int is_last) {
    size_t room;
    if (link->memory == NULL || isopod_link_room(link, &room) == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (length > room || link->next == MOST_PACKETS) {
        return ISOPOD_ERROR_CAPACITY;
    }
    uint32_t bit = held(link);
    uint8_t *packet = slot_of(link, link->next);
    packet[0] = (uint8_t)(ISOPOD_PACKET_DATA | (is_last ? ISOPOD_PACKET_LAST : 0));
    isopod_store16(packet + 1, link->transfer);
    isopod_store16(packet + 3, link->next);
    link->lengths[link->next % link->slots] = (uint16_t)(ISOPOD_LINK_HEADER_BYTES + length);
    link->waiting |= UINT32_C(1) << bit;
    link->next++;
    link->has_ended = is_last != 0;
    return ISOPOD_OK;
}

/* The last packet before the sender has to wait asks for an answer. */
/*@ requires is_begun(link) && \valid(packet) && \separated(link, packet);
    requires \separated(packet, link->memory + (0 .. link->slots * link->packet_bytes - 1));
    assigns *packet, link->waiting, link->memory[..];
    ensures is_begun(link); */
size_t isopod_link_next(isopod_link *link, const uint8_t **packet) {
    uint32_t bit = 0;
    if (link->waiting == 0) {
        *packet = NULL;
        return 0;
    }
    /*@ loop invariant bit <= 31;
        loop assigns bit;
        loop variant 31 - bit; */
    while (bit < ISOPOD_LINK_WINDOW - 1u && (link->waiting >> bit & 1u) == 0) {
        bit++;
    }
    link->waiting &= ~(UINT32_C(1) << bit);
    uint32_t number = link->first + bit;
    uint8_t *chosen = slot_of(link, number);
    int waits = link->waiting == 0 && (link->has_ended || held(link) == link->slots);
    chosen[0] = (uint8_t)((chosen[0] & ~ISOPOD_PACKET_ASKS) | (waits ? ISOPOD_PACKET_ASKS : 0));
    *packet = chosen;
    return link->lengths[number % link->slots];
}

/* Forgets the packets before the oldest that did not arrive. */
/*@ requires \valid(link);
    assigns link->arrived, link->waiting, link->first; */
static void advance(isopod_link *link) {
    //@ loop assigns link->arrived, link->waiting, link->first;
    while ((link->arrived & 1u) != 0) {
        link->arrived >>= 1;
        link->waiting >>= 1;
        link->first++;
    }
}

/* `known` has a bit for every packet that arrived, from the oldest on. All other packets before the
 * newest of these are missing. */
/*@ requires \valid(link);
    assigns link->arrived, link->waiting, link->first; */
static void note(isopod_link *link, uint32_t known) {
    uint32_t newest = known;
    //@ loop assigns step, newest;
    for (uint32_t step = 1; step < 32; step *= 2) {
        newest |= newest >> step;
    }
    link->arrived |= known;
    link->waiting = (link->waiting | newest) & ~link->arrived;
    advance(link);
}

/*@ requires is_begun(link) && \valid_read(packet + (0 .. length - 1));
    assigns link->arrived, link->waiting, link->first; */
void isopod_link_acknowledge(isopod_link *link, const uint8_t *packet, size_t length) {
    if (length != ISOPOD_LINK_ACKNOWLEDGEMENT_BYTES || packet[0] != ISOPOD_PACKET_ANSWER ||
        isopod_load16(packet + 1) != link->transfer || held(link) == 0) {
        return;
    }
    uint32_t below = (uint16_t)(isopod_load16(packet + 3) - link->first);
    if (below > held(link)) {
        return; /* older than what is known */
    }
    uint64_t known = ((uint64_t)1 << below) - 1u;
    known |= (uint64_t)isopod_load32(packet + 5) << below << 1;
    known &= ((uint64_t)1 << held(link)) - 1u;
    note(link, (uint32_t)known);
}

/*@ requires \valid(link) && link->first <= link->next;
    assigns link->waiting;
    ensures link->first == link->next ==> link->waiting == \old(link->waiting); */
void isopod_link_repeat(isopod_link *link) {
    if (held(link) != 0) {
        link->waiting |= 1u;
    }
}

/*@ requires is_begun(link);
    assigns link->waiting;
    ensures is_begun(link); */
void isopod_link_resend(isopod_link *link) {
    link->waiting |= (uint32_t)(((uint64_t)1 << held(link)) - 1u) & ~link->arrived;
}

/*@ requires \valid_read(link) && link->first <= link->next;
    assigns \nothing;
    ensures \result != 0 <==> link->has_ended != 0 && link->first == link->next; */
int isopod_link_is_done(const isopod_link *link) {
    return link->has_ended && held(link) == 0;
}
