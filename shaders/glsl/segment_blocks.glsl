// rows [n, inner] in the order `order` -> [blocks, inner]: each output combines `block` rows.
V value(int i) {
    int number = i / inner;
    int column = i - number * inner;
    int first = number * block, end = min(first + block, n);
    V result = V(IDENTITY);
    for (int j = first; j < end; j++) {
        result = combine(result, rows_value(order_at(j) * inner + column));
    }
    return result;
}
