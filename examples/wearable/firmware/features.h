/* Features of a window of a wrist's movement. */
#ifndef FEATURES_H
#define FEATURES_H

enum {
    CHANNELS = 6, /* acceleration and rotation, three axes each */
    SAMPLES = 25, /* of a window: two and a half seconds */
    FEATURES = 16
};

/* Writes for each channel the mean distance from its mean (6) and between two samples (6), the
 * means of the acceleration (3), and its largest sum of magnitudes (1). `window` holds SAMPLES rows
 * of CHANNELS. Its time depends on the movement, unlike that of the encryption: whoever can time
 * the device learns of it. */
void features(const float window[SAMPLES][CHANNELS], float out[FEATURES]);

#endif
