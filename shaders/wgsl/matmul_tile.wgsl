// Like matmul.wgsl, or a convolution or its gradient as a product, in tiles (library/tiles.wgsl), of operands that
// library/operands.wgsl reads. The next tile is loaded during the product of the previous one. SHARED_DEPTH: PARTS is
// more than 1.
alias Item = f32;
alias Four = vec4<f32>;

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
