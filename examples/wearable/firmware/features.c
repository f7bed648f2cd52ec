#include "features.h"

enum { AXES = 3, STEPS = CHANNELS, MEANS = 2 * CHANNELS, PEAK = MEANS + AXES };

static float magnitude(float value) {
    return value < 0.0F ? -value : value;
}

static float mean(const float window[SAMPLES][CHANNELS], int channel) {
    float sum = 0.0F;
    for (int sample = 0; sample < SAMPLES; sample++) {
        sum += window[sample][channel];
    }
    return sum / SAMPLES;
}

static float mean_distance(const float window[SAMPLES][CHANNELS], int channel, float from) {
    float sum = 0.0F;
    for (int sample = 0; sample < SAMPLES; sample++) {
        sum += magnitude(window[sample][channel] - from);
    }
    return sum / SAMPLES;
}

static float mean_step(const float window[SAMPLES][CHANNELS], int channel) {
    float sum = 0.0F;
    for (int sample = 1; sample < SAMPLES; sample++) {
        sum += magnitude(window[sample][channel] - window[sample - 1][channel]);
    }
    return sum / (SAMPLES - 1);
}

static float peak(const float window[SAMPLES][CHANNELS]) {
    float most = 0.0F;
    for (int sample = 0; sample < SAMPLES; sample++) {
        float sum = 0.0F;
        for (int axis = 0; axis < AXES; axis++) {
            sum += magnitude(window[sample][axis]);
        }
        most = sum > most ? sum : most;
    }
    return most;
}

void features(const float window[SAMPLES][CHANNELS], float out[FEATURES]) {
    for (int channel = 0; channel < CHANNELS; channel++) {
        const float centre = mean(window, channel);
        out[channel] = mean_distance(window, channel, centre);
        out[STEPS + channel] = mean_step(window, channel);
        if (channel < AXES) {
            out[MEANS + channel] = centre;
        }
    }
    out[PEAK] = peak(window);
}
