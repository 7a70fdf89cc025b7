// Like matmul_tile.wgsl, by subgroup matrices: a subgroup of 32 threads adds 16 products of float16 numbers to each of
// 16 x 16 sums in float32 at a time. A workgroup of DOWN x ALONG subgroups computes ROWS rows of COLUMNS columns; its
// memory holds 4 DEPTH of k at a time. (A second tile, which is loaded during the product of the first, makes it 1.7
// times as slow.) Matrices are separate variables, because arrays of them would leave the registers:
// SUMS declares them, LEFTS reads those of a, PRODUCTS adds, RESULTS stores.
//
// SPLIT: operands are float32. Each number is the sum of two in float16, after it was multiplied by the scale of its
// row of a (row_scales.wgsl), or by B_SCALE. The product of the smaller parts is below the rounding of float32. If a
// number does not fit, the workgroup computes the sums one by one.
const PIECES = DEPTH / 4;
const A_FOURS = ROWS / 4;
const B_FOURS = COLUMNS / 4;
// Distance in fours between lines of a block of 16: two unused fours keep eight lines in different banks.
const PITCH = 6;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sums = subgroup_matrix_result<f32, 16, 16>;
alias Block = array<vec4<f16>, 16 * PITCH>;

var<workgroup> a_tile: array<array<Block, ROWS / 16>, PIECES>;
var<workgroup> b_tile: array<array<Block, COLUMNS / 16>, PIECES>;
var<workgroup> stored: array<array<vec4<f32>, 64>, DOWN * ALONG>;

fn left_at(piece: i32, block: i32) -> Left {
#if TRANSPOSE_A_TRUE
    return subgroupMatrixLoad<Left, col_major>(&a_tile[piece][block], 0, PITCH);
#else
    return subgroupMatrixLoad<Left, row_major>(&a_tile[piece][block], 0, PITCH);
#endif
}

fn right_at(piece: i32, block: i32) -> Right {
#if TRANSPOSE_B_TRUE
    return subgroupMatrixLoad<Right, col_major>(&b_tile[piece][block], 0, PITCH);
#else
    return subgroupMatrixLoad<Right, row_major>(&b_tile[piece][block], 0, PITCH);
#endif
}

#if SPLIT
const B_SCALE = 16.0;
// Largest number of b that fits.
const LARGEST = 4094.0;

var<workgroup> a_rest: array<array<Block, ROWS / 16>, PIECES>;
var<workgroup> b_rest: array<array<Block, COLUMNS / 16>, PIECES>;
// 1 if a number does not fit. (There are four, because matrices must begin at a multiple of 16 bytes, and drivers put
// one variable after the other.)
var<workgroup> is_large: array<atomic<u32>, 4>;

fn left_rest_at(piece: i32, block: i32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&a_rest[piece][block], 0, PITCH);
}

fn right_rest_at(piece: i32, block: i32) -> Right {
#if TRANSPOSE_B_TRUE
    return subgroupMatrixLoad<Right, col_major>(&b_rest[piece][block], 0, PITCH);
#else
    return subgroupMatrixLoad<Right, row_major>(&b_rest[piece][block], 0, PITCH);
#endif
}

// Returns the first 11 bits of numbers. (Drivers remove a conversion to float16 and back.)
fn high_of(value: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(value) & vec4<u32>(0xffffe000u));
}

// Returns four results of a row without subgroup matrices.
fn sums_of(row: Row, first_column: i32, image: i32, begin: i32, end: i32) -> vec4<f32> {
    var sums = vec4<f32>();
    for (var k = begin; k < end; k += 4) {
        let four = a_load(row, k);
        for (var i = 0; i < 4; i++) {
#if TRANSPOSE_B_TRUE
            sums[i] += dot(four, b_load(b_column(first_column + i, image), k));
#else
            sums += four[i] * b_load(b_column(first_column, image), k + i);
#endif
        }
    }
    return sums;
}
#endif

// Returns the place in a block of four numbers that are adjacent along k, or along the rows or columns.
fn cell_along(outer: i32, inner: i32) -> i32 { return outer % 16 * PITCH + inner % 16 / 4; }

fn cell_across(outer: i32, inner: i32) -> i32 { return inner % 16 * PITCH + outer % 16 / 4; }

fn a_put(t: i32, i: i32, value: vec4<f32>) {
    let outer = a_outer(t, i);
    let inner = a_inner(t, i);
#if TRANSPOSE_A_TRUE
    let cell = cell_across(outer, inner);
#else
    let cell = cell_along(outer, inner);
#endif
#if SPLIT
    let high = high_of(value);
    a_rest[inner / 16][outer / 16][cell] = vec4<f16>(value - high);
    a_tile[inner / 16][outer / 16][cell] = vec4<f16>(high);
#else
    a_tile[inner / 16][outer / 16][cell] = vec4<f16>(value);
#endif
}

fn b_put(t: i32, i: i32, value: vec4<f32>) {
    let outer = b_outer(t, i);
    let inner = b_inner(t, i);
#if TRANSPOSE_B_TRUE
    let cell = cell_along(outer, inner);
#else
    let cell = cell_across(outer, inner);
#endif
#if SPLIT
    let high = high_of(value * B_SCALE);
    b_rest[inner / 16][outer / 16][cell] = vec4<f16>(value * B_SCALE - high);
    b_tile[inner / 16][outer / 16][cell] = vec4<f16>(high);
#else
    b_tile[inner / 16][outer / 16][cell] = vec4<f16>(value);
#endif
}

// Stores the sums of a subgroup, which begin at this row and column.
fn store_sums(sums: Sums, slice: i32, subgroup: i32, lane: i32, first_row: i32, first_column: i32) {
    subgroupMatrixStore<row_major>(&stored[subgroup], 0, sums, 4);
    workgroupBarrier();
    for (var i = lane; i < 64; i += 32) {
        let row = first_row + i / 4;
        let sum = stored[subgroup][i];
#if SPLIT
        store_four(slice, row, first_column + i % 4 * 4, sum / (B_SCALE * scales_at(row)));
#else
        store_four(slice, row, first_column + i % 4 * 4, sum);
#endif
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_id) number: u32,
) {
    let t = i32(thread);
    let subgroup = i32(number);
    let first_row = i32(id.y) * ROWS;
    let first_column = i32(id.x) * COLUMNS;
    let slice = i32(id.z);
    let lane = t % 32;
    let image = slice % p.batch;
    let begin = slice / p.batch * p.chunk;
    let end = min(begin + p.chunk, p.k);
    // The subgroup's blocks.
    let a_block = subgroup / ALONG * (ROWS / 16 / DOWN);
    let b_block = subgroup % ALONG * (COLUMNS / 16 / ALONG);
    let row = first_row + a_block * 16;
    let column = first_column + b_block * 16;

    var k = begin;
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
#if SPLIT
    var scales: array<f32, A_LOADS>;
    var fits = true;
    for (var i = 0; i < A_LOADS; i++) {
        let outer = first_row + a_outer(t, i);
        scales[i] = scales_at(outer);
        fits &= scales[i] > 0.0 || outer >= p.m;
    }
#endif
    $SUMS
    loop {
#if SPLIT
        for (var i = 0; i < A_LOADS; i++) { a_put(t, i, a_next[i] * scales[i]); }
        for (var i = 0; i < B_LOADS; i++) {
            fits &= first_column + b_outer(t, i) >= p.n || all(abs(b_next[i]) <= vec4<f32>(LARGEST));
        }
#else
        for (var i = 0; i < A_LOADS; i++) { a_put(t, i, a_next[i]); }
#endif
        for (var i = 0; i < B_LOADS; i++) { b_put(t, i, b_next[i]); }
        workgroupBarrier();
        k += 4 * DEPTH;
        let more = k < end;
        if (more) {
            for (var i = 0; i < A_LOADS; i++) { a_next[i] = a_load(rows[i], k + a_inner(t, i)); }
            for (var i = 0; i < B_LOADS; i++) { b_next[i] = b_load(columns[i], k + b_inner(t, i)); }
        }
        for (var piece = 0; piece < PIECES; piece++) {
            $LEFTS
            $PRODUCTS
        }
        if (!more) { break; }
        workgroupBarrier();
    }
#if SPLIT
    if (!fits) { atomicStore(&is_large[0], 1u); }
    if (workgroupUniformLoad(&is_large[0]) == 1u) {
        for (var i = t; i < ROWS * B_FOURS; i += THREADS) {
            let outer = first_row + i / B_FOURS;
            let inner = first_column + i % B_FOURS * 4;
            store_four(slice, outer, inner, sums_of(a_row(outer, image), inner, image, begin, end));
        }
        return;
    }
#endif
    $RESULTS
}
