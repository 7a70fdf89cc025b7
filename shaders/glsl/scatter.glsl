// x [segments, inner], ids [n], updates [n, inner]: each output applies the updates first .. end - 1 with
// its segment's id, in their order.
V value(int i) {
    int segment = i / inner;
    int column = i - segment * inner;
    V result = x_value(i);
    for (int j = first; j < end; j += 4) {
        ivec4 id = ids_texel(j >> 2);
        int at = j * inner + column;
        if (id.x == segment) result = combine(result, updates_value(at));
        if (id.y == segment && j + 1 < end) result = combine(result, updates_value(at + inner));
        if (id.z == segment && j + 2 < end) result = combine(result, updates_value(at + 2 * inner));
        if (id.w == segment && j + 3 < end) result = combine(result, updates_value(at + 3 * inner));
    }
    return result;
}
