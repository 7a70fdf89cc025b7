// Like matmul.wgsl, or a convolution or its gradient as a product, in tiles (library/tiles.wgsl). The next tile is
// loaded during the product of the previous one. SHARED_DEPTH: PARTS is more than 1. CHECK_K: k is not a multiple of
// 4 DEPTH.
//
// a is a matrix, or WINDOWS: the elements of x that the taps of a filter read; or OVER: the outputs dy that read a
// pixel; or TAPS: the elements of x that a tap reads, by output pixel. TRANSPOSE_A_TRUE, TRANSPOSE_B_FALSE: adjacent
// elements are along the rows of a, the columns of b, otherwise along k. A_WHOLE, B_WHOLE: four of them are one texel.
// BLOCKS: b is a matrix w in blocks of SIZE values, where VALUES values have the same scale.
alias Item = f32;
alias Four = vec4<f32>;

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

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let t = i32(thread);
    let warp = t % (TX * TY) / 32;
    let tx = t % SIDE + warp % (TX / SIDE) * SIDE;
    let ty = t % 32 / SIDE + warp / (TX / SIDE) * (32 / SIDE);
    let part = t / (TX * TY);
    let first_row = i32(id.y) * 4 * A_FOURS;
    let first_column = i32(id.x) * 4 * B_FOURS;
    let slice = i32(id.z);
    let image = slice % p.batch;
    var k = slice / p.batch * p.chunk;
    let end = min(k + p.chunk, p.k);

    var rows: array<Row, A_LOADS>;
    var columns: array<i32, B_LOADS>;
    var a_next: array<vec4<f32>, A_LOADS>;
    var b_next: array<vec4<f32>, B_LOADS>;
    for (var i = 0; i < A_LOADS; i++) {
        rows[i] = a_row(first_row + a_outer(t, i), image);
        a_next[i] = a_load(rows[i], k + a_inner(t, i));
    }
    for (var i = 0; i < B_LOADS; i++) {
        columns[i] = b_column(first_column + b_outer(t, i), image);
        b_next[i] = b_load(columns[i], k + b_inner(t, i));
    }
    var sums: array<Four, SUMS>;
    var stage = 0;
    loop {
        for (var i = 0; i < A_LOADS; i++) {
            let outer = a_outer(t, i);
            let inner = a_inner(t, i);
#if TRANSPOSE_A_TRUE
            a_tile[stage][inner / 4].rows[inner % 4][outer / 4] = a_next[i];
#else
            for (var j = 0; j < 4; j++) {
                a_tile[stage][inner / 4].rows[j][outer / 4][outer % 4] = a_next[i][j];
            }
#endif
        }
        for (var i = 0; i < B_LOADS; i++) {
            let outer = b_outer(t, i);
            let inner = b_inner(t, i);
#if TRANSPOSE_B_TRUE
            for (var j = 0; j < 4; j++) {
                b_tile[stage][inner / 4].rows[j][outer / 4][outer % 4] = b_next[i][j];
            }
#else
            b_tile[stage][inner / 4].rows[inner % 4][outer / 4] = b_next[i];
#endif
        }
        workgroupBarrier();
        k += 4 * DEPTH;
        let more = k < end;
        if (more) {
            for (var i = 0; i < A_LOADS; i++) { a_next[i] = a_load(rows[i], k + a_inner(t, i)); }
            for (var i = 0; i < B_LOADS; i++) { b_next[i] = b_load(columns[i], k + b_inner(t, i)); }
        }
        for (var panel = 0; panel < DEPTH / PARTS; panel++) {
            let d = panel * PARTS + part;
            for (var e = 0; e < 4; e++) {
                var x: array<vec4<f32>, TM>;
                var y: array<vec4<f32>, TN>;
                for (var i = 0; i < TM; i++) { x[i] = a_tile[stage][d].rows[e][ty + i * TY]; }
                for (var j = 0; j < TN; j++) { y[j] = b_tile[stage][d].rows[e][tx + j * TX]; }
                for (var i = 0; i < TM; i++) {
                    for (var r = 0; r < 4; r++) {
                        for (var j = 0; j < TN; j++) {
                            let s = (i * 4 + r) * TN + j;
                            sums[s] = fma(vec4<f32>(x[i][r]), y[j], sums[s]);
                        }
                    }
                }
            }
        }
        if (!more) { break; }
        stage = 1 - stage;
    }
#if SHARED_DEPTH
    join_sums(t, part, &sums);
    if (part > 0) { return; }
#endif
    for (var i = 0; i < TM; i++) {
        for (var r = 0; r < 4; r++) {
            for (var j = 0; j < TN; j++) {
                let row = first_row + (ty + i * TY) * 4 + r;
                store_four(slice, row, first_column + (tx + j * TX) * 4, sums[(i * 4 + r) * TN + j]);
            }
        }
    }
}
