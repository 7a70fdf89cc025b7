// x [outer, n, inner]: each output combines the elements at its position along n and 1, 2 and 3 times
// `distance` before it (REVERSE: after it). EXCLUSIVE omits the position itself.
fn value(i: i32) -> V {
    let row = i / p.inner;
    let place = row % p.n;
#if EXCLUSIVE_TRUE
    let skipped = 1;
#else
    let skipped = 0;
#endif
    var result = V(identity());
    for (var k = 0; k < 4; k++) {
        let back = skipped + k * p.distance;
#if REVERSE_TRUE
        if (place + back < p.n) { result = combine(result, x_value(i + back * p.inner)); }
#else
        if (place >= back) { result = combine(result, x_value(i - back * p.inner)); }
#endif
    }
    return result;
}
