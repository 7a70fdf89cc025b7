// sequence [outer, n] in ascending rows, values [outer, m] -> first positions that keep the order.
fn value(i: i32) -> i32 {
    let base = i / p.m * p.n;
    let x = values_at(i);
    var low = 0;
    var high = p.n;
    while (low < high) {
        let half_way = (low + high) >> 1u;
#if SIDE_LEFT
        let passes = sequence_at(base + half_way) < x;
#else
        let passes = !(x < sequence_at(base + half_way)); // NaN passes
#endif
        if (passes) {
            low = half_way + 1;
        } else {
            high = half_way;
        }
    }
    return low;
}
