// data [n, inner], ids [n] -> [chunks, segments, inner]: each output tests `chunk` ids.
fn value(i: i32) -> V {
    let row = i / p.inner;
    let column = i - row * p.inner;
    let part = row / p.segments;
    let segment = row - part * p.segments;
    let first = part * p.chunk;
    let end = min(first + p.chunk, p.n);
    var sum = V(0);
    for (var j = first; j < end; j += 4) {
        let four = ids_texel(j >> 2u);
        for (var k = 0; k < 4; k++) {
            if (four[k] == segment && j + k < end) { sum += data_value((j + k) * p.inner + column); }
        }
    }
    return sum;
}
