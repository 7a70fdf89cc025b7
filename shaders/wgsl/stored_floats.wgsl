// The floats of stored numbers with BITS bits, in rows of `width`. SCALED: as in stored_columns.wgsl, or if the matrix is
// transposed (TURNED), as in stored_rows.wgsl.
const BITS = $BITS;

fn float_at(i: i32) -> f32 {
    let row = i / p.width;
    let column = i - row * p.width;
    let number = f32(stored_number(row, column));
#if SCALED
#if TURNED
    let at = group_at(column) * p.n + row;
#else
    let at = group_at(row) * p.n + column;
#endif
    return (number - zero_of(at)) * scale_at(at);
#else
    return number;
#endif
}

fn value(i: i32) -> V {
#if QUADS
    return vec4<f32>(float_at(4 * i), float_at(4 * i + 1), float_at(4 * i + 2), float_at(4 * i + 3));
#else
    return float_at(i);
#endif
}
