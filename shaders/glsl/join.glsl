// Parts of tiles (four rows of COLUMNS texels) -> [batch, m, n]: adds up the chunks, which are blocks of
// `rows` rows of tiles. Part 4 * c + r holds row r of texel c of each tile.
V part(int number, int at) {
    if (number == 0) return x0_value(at);
    if (number == 1) return x1_value(at);
    if (number == 2) return x2_value(at);
#if COLUMNS == 2
    if (number == 3) return x3_value(at);
    if (number == 4) return x4_value(at);
    if (number == 5) return x5_value(at);
    if (number == 6) return x6_value(at);
    return x7_value(at);
#else
    return x3_value(at);
#endif
}

V value(int i) {
    int row = i / n;
    int column = i - row * n;
    int image = row / m;
    row -= image * m;
#ifdef QUADS
    int texel = column, texels = n;
#else
    int texel = column >> 2, texels = (n + 3) >> 2;
#endif
    int columns = (texels + COLUMNS - 1) / COLUMNS;
    int number = texel % COLUMNS * 4 + (row & 3);
    int block = image * ((m + 3) >> 2) + (row >> 2);
    V sum = V(0);
    for (int c = 0; c < chunks; c++) {
        int at = tile_texel(texel / COLUMNS, block + c * rows, columns, x0_shift);
#ifndef QUADS
        at = 4 * at + (column & 3);
#endif
        sum += part(number, at);
    }
    return sum;
}
