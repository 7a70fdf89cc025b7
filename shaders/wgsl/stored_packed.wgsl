// Packs the columns of stored int8 numbers as bytes along k, as pack_bytes.wgsl does with KIND_WHOLE. A thread makes one
// of the `texels` texels of a column. Adjacent threads have adjacent columns, or if the matrix is transposed (TURNED),
// adjacent texels of a column.
const BITS = 8;

fn word_at(column: i32, k: i32) -> i32 {
    var bytes: vec4<i32>;
    for (var j = 0; j < 4; j++) {
#if TURNED
        if (k + j < p.k) { bytes[j] = stored_number(column, k + j); }
#else
        if (k + j < p.k) { bytes[j] = stored_number(k + j, column); }
#endif
    }
    return packed_word(bytes);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let i = i32(at.x + at.y * count.x * 256u);
    if (i >= p.n * p.texels) { return; }
#if TURNED
    let column = i / p.texels;
    let texel = i % p.texels;
#else
    let column = i % p.n;
    let texel = i / p.n;
#endif
    var words = vec4<i32>(bitcast<i32>(1.0), 0, 0, 0);
    if (texel < p.texels - 1) {
        for (var j = 0; j < 4; j++) { words[j] = word_at(column, 16 * texel + 4 * j); }
    }
    result_data[column * p.texels + texel] = words;
}
