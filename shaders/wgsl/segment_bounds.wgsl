// ids, ascending in the order `order` -> the first position with an id that is not below i.
fn value(i: i32) -> i32 {
    var low = 0;
    var high = p.n;
    while (low < high) {
        let half_way = (low + high) >> 1u;
        if (ids_at(order_at(half_way)) < i) {
            low = half_way + 1;
        } else {
            high = half_way;
        }
    }
    return low;
}
