// The operands a and b of a product in tiles.
//
// a is a matrix, or WINDOWS: the elements of x that the taps of a filter read; or OVER: the outputs dy that read a
// pixel; or TAPS: the elements of x that a tap reads, by output pixel. TRANSPOSE_A_TRUE, TRANSPOSE_B_FALSE: adjacent
// elements are along the rows of a, the columns of b, otherwise along k. A_WHOLE, B_WHOLE: four of them are one texel.
// BLOCKS: b is a matrix w in blocks of SIZE values, where VALUES values have the same scale. CHECK_K: k is not a
// multiple of 4 DEPTH.

#if WINDOWS
alias Row = vec4<i32>;

fn a_row(row: i32, image: i32) -> Row { return window_at(row); }

#if A_WHOLE
fn a_part(window: Row, k: i32) -> vec4<f32> {
    let number = k / p.in_c;
    let under = pixel_under(window, tap_of(number));
    if (under < 0) { return vec4<f32>(0); }
    return x_texel((under * p.in_c + k - number * p.in_c) >> 2u);
}
#else
fn x_under(window: Row, k: i32) -> f32 {
    let number = k / p.in_c;
    let under = pixel_under(window, tap_of(number));
    if (under < 0) { return 0.0; }
    return x_at(under * p.in_c + k - number * p.in_c);
}

fn a_part(window: Row, k: i32) -> vec4<f32> {
    return vec4<f32>(x_under(window, k), x_under(window, k + 1), x_under(window, k + 2), x_under(window, k + 3));
}
#endif

fn b_column(column: i32, image: i32) -> i32 { return column; }

fn b_part(column: i32, k: i32) -> vec4<f32> {
#if B_WHOLE
    return filter_texel((k * p.n + column) >> 2u);
#else
    return filter_four(k * p.n + column);
#endif
}
#else
#if OVER
alias Row = vec4<i32>;

fn a_row(row: i32, image: i32) -> Row { return padded_place(row); }

fn a_part(place: Row, k: i32) -> vec4<f32> {
    let number = k / p.out_c;
    let over = pixel_over(place, tap_of(number));
    if (over < 0) { return vec4<f32>(0); }
    return dy_texel((over * p.out_c + k - number * p.out_c) >> 2u);
}

fn b_column(column: i32, image: i32) -> i32 { return column * p.out_c; }

fn b_part(column: i32, k: i32) -> vec4<f32> {
    let number = k / p.out_c;
    return filter_texel((number * p.n * p.out_c + column + k - number * p.out_c) >> 2u);
}
#else
#if TAPS
struct Row {
    tap: Tap,
    channel: i32,
}

fn a_row(row: i32, image: i32) -> Row {
    let number = row / p.in_c;
    return Row(tap_of(number), row - number * p.in_c);
}

fn a_part(row: Row, k: i32) -> vec4<f32> {
    let under = pixel_under(window_at(k), row.tap);
    if (under < 0) { return vec4<f32>(0); }
    return x_texel((under * p.in_c + row.channel) >> 2u);
}

fn b_column(column: i32, image: i32) -> i32 { return column; }

fn b_part(column: i32, k: i32) -> vec4<f32> {
#if B_WHOLE
    return dy_texel((k * p.n + column) >> 2u);
#else
    return dy_four(k * p.n + column);
#endif
}
#else
alias Row = i32;

#if TRANSPOSE_A_TRUE
fn a_row(row: i32, image: i32) -> Row { return image * p.a_batch_stride + row; }

fn a_place(row: Row, k: i32) -> i32 { return k * p.m + row; }
#else
fn a_row(row: i32, image: i32) -> Row { return image * p.a_batch_stride + row * p.k; }

fn a_place(row: Row, k: i32) -> i32 { return row + k; }
#endif

fn a_part(row: Row, k: i32) -> vec4<f32> {
#if A_WHOLE
    return a_texel(a_place(row, k) >> 2u);
#else
    return a_four(a_place(row, k));
#endif
}

#if TRANSPOSE_B_TRUE
fn b_column(column: i32, image: i32) -> i32 { return image * p.b_batch_stride + column * p.k; }

fn b_place(column: i32, k: i32) -> i32 { return column + k; }
#else
fn b_column(column: i32, image: i32) -> i32 { return image * p.b_batch_stride + column; }

fn b_place(column: i32, k: i32) -> i32 { return k * p.n + column; }
#endif

#if BLOCKS
const SIZE = $SIZE;

const VALUES = $VALUES;

$NUMBERS
fn b_part(column: i32, k: i32) -> vec4<f32> {
    let at = b_place(column, k);
    let block = at / SIZE;
    let scale = $SCALE(block, at % SIZE / VALUES);
    return scale.x * numbers_at(block, at % SIZE) + scale.y;
}
#else
fn b_part(column: i32, k: i32) -> vec4<f32> {
#if B_WHOLE
    return b_texel(b_place(column, k) >> 2u);
#else
    return b_four(b_place(column, k));
#endif
}
#endif
#endif
#endif
#endif

// Returns the row or column of the four adjacent elements along k that a thread loads.
fn outer_of(t: i32, i: i32) -> i32 { return t / DEPTH + i * (THREADS / DEPTH); }

// The four elements of a tile that a thread loads: the first one's position along m or n, and along k.
#if TRANSPOSE_A_TRUE
fn a_outer(t: i32, i: i32) -> i32 { return (t + i * THREADS) % A_FOURS * 4; }

fn a_inner(t: i32, i: i32) -> i32 { return (t + i * THREADS) / A_FOURS; }
#else
fn a_outer(t: i32, i: i32) -> i32 { return outer_of(t, i); }

fn a_inner(t: i32, i: i32) -> i32 { return t % DEPTH * 4; }
#endif
#if TRANSPOSE_B_TRUE
fn b_outer(t: i32, i: i32) -> i32 { return outer_of(t, i); }

fn b_inner(t: i32, i: i32) -> i32 { return t % DEPTH * 4; }
#else
fn b_outer(t: i32, i: i32) -> i32 { return (t + i * THREADS) % B_FOURS * 4; }

fn b_inner(t: i32, i: i32) -> i32 { return (t + i * THREADS) / B_FOURS; }
#endif

fn along_k(value: vec4<f32>, k: i32) -> vec4<f32> {
#if CHECK_K
    return select(vec4<f32>(0), value, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
#else
    return value;
#endif
}

fn at_k(value: vec4<f32>, k: i32) -> vec4<f32> {
#if CHECK_K
    return select(vec4<f32>(0), value, k < p.k);
#else
    return value;
#endif
}

// Elements outside of m and n may have any value, because their results are not stored.
fn a_load(row: Row, k: i32) -> vec4<f32> {
#if TRANSPOSE_A_TRUE
    return at_k(a_part(row, k), k);
#else
    return along_k(a_part(row, k), k);
#endif
}

fn b_load(column: i32, k: i32) -> vec4<f32> {
#if TRANSPOSE_B_TRUE
    return along_k(b_part(column, k), k);
#else
    return at_k(b_part(column, k), k);
#endif
}
