// Parts of tiles (four rows of COLUMNS texels, `tiles` of them for each chunk) -> [batch, m, n]: adds
// up the chunks. Part 4 * c + r holds row r of texel c of each tile.
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
    int texel = column >> 2, texels = (n + 3) / 4;
#endif
    int at = (image * ((m + 3) / 4) + row / 4) * ((texels + COLUMNS - 1) / COLUMNS) + texel / COLUMNS;
    int step = tiles;
#ifndef QUADS
    at = 4 * at + (column & 3);
    step *= 4;
#endif
    int number = texel % COLUMNS * 4 + (row & 3);
    V sum = part(number, at);
    for (int c = 1; c < chunks; c++) {
        at += step;
        sum += part(number, at);
    }
    return sum;
}
