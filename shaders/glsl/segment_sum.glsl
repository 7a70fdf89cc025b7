// data [n, inner], ids [n] -> [chunks, segments, inner]: each output tests `chunk` ids.
V value(int i) {
    int row = i / inner;
    int column = i - row * inner;
    int part = row / segments;
    int segment = row - part * segments;
    int first = part * chunk;
    int end = min(first + chunk, n);
    V sum = V(0);
    for (int j = first; j < end; j += 4) {
        ivec4 id = ids_texel(j >> 2);
        int at = j * inner + column;
        if (id.x == segment) sum += data_value(at);
        if (id.y == segment && j + 1 < end) sum += data_value(at + inner);
        if (id.z == segment && j + 2 < end) sum += data_value(at + 2 * inner);
        if (id.w == segment && j + 3 < end) sum += data_value(at + 3 * inner);
    }
    return sum;
}
