// Combines each segment's rows, which are consecutive in the order `order`, from bounds[segment] on. The
// combinations of whole blocks are in `blocks`. ONTO: x is combined with the result.
#ifdef KIND_LAST
V value(int i) {
    int segment = i / inner;
    int end = bounds_at(segment + 1);
    if (bounds_at(segment) == end) return x_value(i);
    return rows_value(order_at(end - 1) * inner + i - segment * inner);
}
#else
V run(V result, int first, int end, int column) {
    for (int j = first; j < end; j++) {
        result = combine(result, rows_value(order_at(j) * inner + column));
    }
    return result;
}

V value(int i) {
    int segment = i / inner;
    int column = i - segment * inner;
    int first = bounds_at(segment), end = bounds_at(segment + 1);
    int first_block = (first + block - 1) / block, end_block = end / block;
#ifdef ONTO
    V result = x_value(i);
#else
    V result = V(IDENTITY);
#endif
    if (first_block >= end_block) return run(result, first, end, column);
    result = run(result, first, first_block * block, column);
    for (int j = first_block; j < end_block; j++) {
        result = combine(result, blocks_value(j * inner + column));
    }
    return run(result, end_block * block, end, column);
}
#endif
