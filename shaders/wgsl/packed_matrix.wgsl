// Products of packed bytes (see pack_bytes.wgsl) by subgroup matrices: a subgroup of 32 threads adds 32 products to
// each of 16 x 16 sums at a time. A workgroup of DOWN x ALONG subgroups computes ROWS rows of COLUMNS channels; its
// memory holds DEPTH texels of 16 bytes of each. Matrices are separate variables, because arrays of them would leave
// the registers: SUMS declares them, LEFTS reads the rows, PRODUCTS adds, RESULTS stores. CHECK_K: a row is not a
// multiple of DEPTH texels.
const PIECES = DEPTH / 2;
// Distance in texels between rows of a block of 16: the third texel keeps rows in different banks.
const PITCH = 3;

alias Left = subgroup_matrix_left<i8, 32, 16>;
alias Right = subgroup_matrix_right<i8, 16, 32>;
alias Sums = subgroup_matrix_result<i32, 16, 16>;
alias Block = array<vec4<i32>, 16 * PITCH>;

var<workgroup> a_tile: array<array<Block, ROWS / 16>, PIECES>;
var<workgroup> b_tile: array<array<Block, COLUMNS / 16>, PIECES>;
var<workgroup> stored: array<array<vec4<i32>, 64>, DOWN * ALONG>;

fn left_at(piece: i32, block: i32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&a_tile[piece][block], 0, PITCH);
}

fn right_at(piece: i32, block: i32) -> Right {
    return subgroupMatrixLoad<Right, col_major>(&b_tile[piece][block], 0, PITCH);
}

// Returns the row of a thread's texel i in a tile.
fn row_of(t: i32, i: i32) -> i32 { return (t + i * THREADS) / DEPTH; }

fn texel_of(t: i32) -> i32 { return t % DEPTH; }

fn cell_of(row: i32, texel: i32) -> i32 { return row % 16 * PITCH + texel % 2; }

// Rows outside of m and n may have any value, because their results are not stored; so may a channel if its row is 0.
fn row_texel(row: i32, texel: i32) -> vec4<i32> {
    let value = x_texel(row * (p.texels + 1) + texel);
#if CHECK_K
    return select(vec4<i32>(), value, texel < p.texels);
#else
    return value;
#endif
}

// Stores the sums of a subgroup, which begin at this row and column.
fn store_sums(sums: Sums, slice: i32, subgroup: i32, lane: i32, first_row: i32, first_column: i32) {
    subgroupMatrixStore<row_major>(&stored[subgroup], 0, sums, 4);
    workgroupBarrier();
    for (var i = lane; i < 64; i += 32) {
        let row = first_row + i / 4;
        let column = first_column + i % 4 * 4;
        let sum = stored[subgroup][i];
#if FLOATS
        let channels = channels_at(column, 0);
        let pixel = x_texel((row + 1) * (p.texels + 1) - 1).xy;
        store_four(slice, row, column, scaled_sum(sum, pixel, channels.sums) * channels.scales);
#else
        store_four(slice, row, column, sum);
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
    let lane = t % 32;
    let slice = 0;
    let first_row = i32(id.y) * ROWS;
    let first_column = i32(id.x) * COLUMNS;
    // The subgroup's blocks.
    let a_block = subgroup / ALONG * (ROWS / 16 / DOWN);
    let b_block = subgroup % ALONG * (COLUMNS / 16 / ALONG);
    let row = first_row + a_block * 16;
    let column = first_column + b_block * 16;
    let inner = texel_of(t);
    var a_next: array<vec4<i32>, A_LOADS>;
    var b_next: array<vec4<i32>, B_LOADS>;
    for (var i = 0; i < A_LOADS; i++) { a_next[i] = row_texel(first_row + row_of(t, i), inner); }
    for (var i = 0; i < B_LOADS; i++) {
        b_next[i] = filter_texel((first_column + row_of(t, i)) * (p.texels + 1) + inner);
    }
    $SUMS
    var at = 0;
    loop {
        for (var i = 0; i < A_LOADS; i++) {
            let row = row_of(t, i);
            a_tile[inner / 2][row / 16][cell_of(row, inner)] = a_next[i];
        }
        for (var i = 0; i < B_LOADS; i++) {
            let row = row_of(t, i);
            b_tile[inner / 2][row / 16][cell_of(row, inner)] = b_next[i];
        }
        workgroupBarrier();
        at += DEPTH;
        let more = at < p.texels;
        if (more) {
            for (var i = 0; i < A_LOADS; i++) { a_next[i] = row_texel(first_row + row_of(t, i), at + inner); }
            for (var i = 0; i < B_LOADS; i++) {
                b_next[i] = filter_texel((first_column + row_of(t, i)) * (p.texels + 1) + at + inner);
            }
        }
        for (var piece = 0; piece < PIECES; piece++) {
            $LEFTS
            $PRODUCTS
        }
        if (!more) { break; }
        workgroupBarrier();
    }
    $RESULTS
}
