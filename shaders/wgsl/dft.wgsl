// One pass of a Fourier transform along n: [outer, n, inner] as two planes -> [2, outer, n, inner].
// So far transforms of `done` points exist; the pass joins `radix` of these to one of `span` points. The
// first pass reads the planes from separate inputs (IMAGINARY; REAL: only one).
fn real_part(i: i32) -> f32 {
#if PLANES
    return x_at(i);
#else
    return real_at(i);
#endif
}

fn imaginary_part(i: i32) -> f32 {
#if PLANES
    return x_at(i + p.count);
#else
#if IMAGINARY
    return imag_at(i);
#else
    return 0.0;
#endif
#endif
}

fn value(i: i32) -> V {
    let is_imaginary = i >= p.count;
    let at = select(i, i - p.count, is_imaginary);
    let row = at / p.inner;
    let block = row / p.n;
    let position = row - block * p.n;
    let span = p.done * p.radix;
    let group = position / span;
    let frequency = position - group * span;
    var source = (block * p.n + group * p.done + frequency % p.done) * p.inner + at - row * p.inner;
    let unit = 6.283185307179586 / f32(span);
    var result = 0.0;
    var turn = 0;
    for (var q = 0; q < p.radix; q++) {
        let c = cosine(f32(turn) * unit);
#if SIGN_MINUS
        let s = -sine(f32(turn) * unit);
#else
        let s = sine(f32(turn) * unit);
#endif
        let x = real_part(source);
        let y = imaginary_part(source);
        result += select(x * c - y * s, x * s + y * c, is_imaginary);
        source += p.n / p.radix * p.inner;
        turn += frequency;
        turn -= select(0, span, turn >= span);
    }
    return result;
}
