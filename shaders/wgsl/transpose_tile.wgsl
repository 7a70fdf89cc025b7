// Like strided.wgsl, for `rows` that are contiguous in the input only, and `columns` that are contiguous in the output
// only: a workgroup reads a tile along rows and writes it along columns. The other dimensions are `dims`.
const SIDE = $SIDE;
#if QUADS
const WIDE = 4;
#else
const WIDE = 1;
#endif
const LANES = SIDE / WIDE;
const LINES = $GROUP / LANES;

// The padding of lines prevents bank conflicts along rows and along columns.
var<workgroup> tile: array<array<T, SIDE + 1>, SIDE>;

@compute @workgroup_size($GROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = i32(id.x + id.y * count.x);
    let lane = i32(thread) % LANES * WIDE;
    let line = i32(thread) / LANES;
    let down = number / p.across;
    let column = (number - down * p.across) * SIDE;
    var outer = down / p.down;
    let row = (down - outer * p.down) * SIDE;
    var source = p.offset + row + column * p.pitch;
    var place = row * p.step + column;
    for (var d = $RANK - 1; d >= 0; d--) {
        let rest = outer / p.dims[d].x;
        source += (outer - rest * p.dims[d].x) * p.strides[d].x;
        place += (outer - rest * p.dims[d].x) * p.steps[d].x;
        outer = rest;
    }
    for (var i = line; i < SIDE; i += LINES) {
        if (row + lane < p.rows && column + i < p.columns) {
            let x = x_value((source + lane + i * p.pitch) / WIDE);
#if QUADS
            for (var k = 0; k < WIDE; k++) { tile[lane + k][i] = x[k]; }
#else
            tile[lane][i] = x;
#endif
        }
    }
    workgroupBarrier();
    for (var i = line; i < SIDE; i += LINES) {
        if (row + i < p.rows && column + lane < p.columns && outer == 0) {
#if QUADS
            let x = T4(tile[i][lane], tile[i][lane + 1], tile[i][lane + 2], tile[i][lane + 3]);
#else
            let x = tile[i][lane];
#endif
            store((place + lane + i * p.step) / WIDE, x);
        }
    }
}
