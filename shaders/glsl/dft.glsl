// One pass of a Fourier transform along n: [outer, n, inner] as two planes -> [2, outer, n, inner].
// So far transforms of `done` points exist; the pass joins `radix` of these to one of `span` points. The
// first pass reads the planes from separate inputs (IMAGINARY; REAL: only one).
#ifdef SIGN_MINUS
#define SIGN -1.0
#else
#define SIGN 1.0
#endif

#if defined(REAL)
#define RE(i) real_at(i)
#define IM(i) 0.0
#elif defined(IMAGINARY)
#define RE(i) real_at(i)
#define IM(i) imag_at(i)
#else
#define RE(i) x_at(i)
#define IM(i) x_at((i) + count)
#endif

V value(int i) {
    bool imaginary = i >= count;
    int at = imaginary ? i - count : i;
    int row = at / inner;
    int block = row / n;
    int position = row - block * n;
    int span = done * radix;
    int group = position / span;
    int frequency = position - group * span;
    int from = (block * n + group * done + frequency % done) * inner + at - row * inner;
    float unit = 6.283185307179586 / float(span);
    float result = 0.0;
    int turn = 0;
    for (int q = 0; q < radix; q++) {
        float c = cosine(float(turn) * unit);
        float s = SIGN * sine(float(turn) * unit);
        result += imaginary ? RE(from) * s + IM(from) * c : RE(from) * c - IM(from) * s;
        from += n / radix * inner;
        turn += frequency;
        turn -= turn >= span ? span : 0;
    }
    return result;
}
