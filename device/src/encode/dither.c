/* The words of a dither, from the noise key of its encryption. */
#include "dither.h"

#include <stddef.h>

isopod_dither isopod_dither_draw(const isopod_dither_source *source, uint32_t count,
                                 unsigned shift) {
    isopod_dither dither = {NULL, shift};
    if (source != NULL) {
        isopod_noise_words(source->memory, count, source->stream);
        dither.words = source->memory;
    }
    return dither;
}
