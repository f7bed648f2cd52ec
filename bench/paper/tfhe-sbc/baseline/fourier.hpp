// Products modulo X^N + 1 by a Fourier transform, N = 1024, in the manner of TFHE libraries: two real coefficients make one
// complex point, twisted so that the transform is negacyclic. `Real` is double, or float as on a VideoCore.
#ifndef FOURIER_HPP
#define FOURIER_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

constexpr std::size_t DEGREE = 1024, POINTS = DEGREE / 2;

template <class Real> struct Spectrum {
    alignas(64) std::array<Real, POINTS> re, im;
};

template <class Real> class Fourier {
  public:
    Fourier() {
        const double pi = std::acos(-1.0);
        for (std::size_t i = 0; i < POINTS; ++i) {
            twist_re[i] = static_cast<Real>(std::cos(pi * i / DEGREE));
            twist_im[i] = static_cast<Real>(std::sin(pi * i / DEGREE));
            root_re[i] = static_cast<Real>(std::cos(2 * pi * i / POINTS));
            root_im[i] = static_cast<Real>(std::sin(2 * pi * i / POINTS));
        }
    }

    // Coefficients as signed numbers; decimation in frequency, output in bit-reversed order.
    __attribute__((noinline)) void forward(Spectrum<Real> &out, const std::int32_t *in) const {
        for (std::size_t i = 0; i < POINTS; ++i) {
            const Real re = static_cast<Real>(in[i]), im = static_cast<Real>(in[i + POINTS]);
            out.re[i] = re * twist_re[i] - im * twist_im[i];
            out.im[i] = re * twist_im[i] + im * twist_re[i];
        }
        for (std::size_t half = POINTS / 2; half > 0; half /= 2) {
            for (std::size_t start = 0; start < POINTS; start += 2 * half) {
                split(out, start, half);
            }
        }
    }

    __attribute__((noinline)) static void multiply(Spectrum<Real> &out, const Spectrum<Real> &other) {
        for (std::size_t i = 0; i < POINTS; ++i) {
            const Real re = out.re[i] * other.re[i] - out.im[i] * other.im[i];
            out.im[i] = out.re[i] * other.im[i] + out.im[i] * other.re[i];
            out.re[i] = re;
        }
    }

    // Decimation in time, back to the natural order; rounds and reduces modulo 2^32.
    __attribute__((noinline)) void inverse(std::uint32_t *out, Spectrum<Real> &in) const {
        for (std::size_t half = 1; half < POINTS; half *= 2) {
            for (std::size_t start = 0; start < POINTS; start += 2 * half) {
                join(in, start, half);
            }
        }
        const Real scale = Real(1) / POINTS;
        for (std::size_t i = 0; i < POINTS; ++i) {
            const Real re = (in.re[i] * twist_re[i] + in.im[i] * twist_im[i]) * scale;
            const Real im = (in.im[i] * twist_re[i] - in.re[i] * twist_im[i]) * scale;
            out[i] = static_cast<std::uint32_t>(static_cast<std::int64_t>(std::nearbyint(re)));
            out[i + POINTS] = static_cast<std::uint32_t>(static_cast<std::int64_t>(std::nearbyint(im)));
        }
    }

  private:
    void split(Spectrum<Real> &x, std::size_t start, std::size_t half) const {
        const std::size_t stride = POINTS / (2 * half);
        for (std::size_t i = start, j = start + half, k = 0; k < half; ++i, ++j, ++k) {
            const Real re = x.re[i] - x.re[j], im = x.im[i] - x.im[j];
            const Real c = root_re[k * stride], s = root_im[k * stride];
            x.re[i] += x.re[j];
            x.im[i] += x.im[j];
            x.re[j] = re * c - im * s;
            x.im[j] = re * s + im * c;
        }
    }

    void join(Spectrum<Real> &x, std::size_t start, std::size_t half) const {
        const std::size_t stride = POINTS / (2 * half);
        for (std::size_t i = start, j = start + half, k = 0; k < half; ++i, ++j, ++k) {
            const Real c = root_re[k * stride], s = root_im[k * stride];
            const Real re = x.re[j] * c + x.im[j] * s, im = x.im[j] * c - x.re[j] * s;
            x.re[j] = x.re[i] - re;
            x.im[j] = x.im[i] - im;
            x.re[i] += re;
            x.im[i] += im;
        }
    }

    alignas(64) std::array<Real, POINTS> twist_re, twist_im, root_re, root_im;
};

#endif
