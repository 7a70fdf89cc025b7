// x [segments, inner], ids [n], updates [n, inner]: each output applies the updates first .. end - 1 with
// its segment's id, in their order.
fn value(i: i32) -> V {
    let segment = i / p.inner;
    let column = i - segment * p.inner;
    var result = x_value(i);
    for (var j = p.first; j < p.end; j += 4) {
        let four = ids_texel(j >> 2u);
        for (var k = 0; k < 4; k++) {
            if (four[k] == segment && j + k < p.end) {
                result = combine(result, updates_value((j + k) * p.inner + column));
            }
        }
    }
    return result;
}
