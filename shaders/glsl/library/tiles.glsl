// Positions of tiles; see lower/webgl/tiles.py.

// Returns the column and the number of the tile at texel t. Of four tiles that a device computes together,
// two share a column and two share a row, which makes reads fastest.
ivec2 tile_at(int t, int columns) {
    int x = t & ((1 << out_shift) - 1), y = t >> out_shift;
    int four = ((y >> 1) << (out_shift - 1)) + (x >> 1);
    int pairs = (columns + 1) >> 1;
    int line = four / pairs;
    return ivec2(2 * (four - line * pairs) + (x & 1), 2 * line + (y & 1));
}

int tile_texel(int column, int number, int columns, int shift) {
    int four = (number >> 1) * ((columns + 1) >> 1) + (column >> 1);
    int x = 2 * (four & ((1 << (shift - 1)) - 1)) + (column & 1);
    return (((four >> (shift - 1)) * 2 + (number & 1)) << shift) + x;
}

// Returns row r of a tile. The rows of tiles 2 * i and 2 * i + 1 differ in bit `spread`.
int tile_row(int number, int r, int spread) {
    int rest = (number >> 1) * 4 + r;
    int low = rest & ((1 << spread) - 1);
    return ((rest - low) << 1) + ((number & 1) << spread) + low;
}

// Returns the column and the number of the chunk at texel t. A chunk of a step is a rectangle of four lines
// of `width` texels. Its columns traverse squares of two by two texels, which a device computes together, so
// that these read adjacent elements.
ivec2 chunk_at(int t, int width) {
    int x = t & ((1 << out_shift) - 1), y = t >> out_shift;
    int across = x / width;
    int chunk = (y >> 2) * ((1 << out_shift) / width) + across;
    int square = ((y & 3) >> 1) * (width >> 1) + ((x - across * width) >> 1);
    return ivec2(4 * square + 2 * (y & 1) + (x & 1), chunk);
}

int chunk_texel(int column, int chunk, int width, int shift) {
    int square = column >> 2, squares = width >> 1, across = (1 << shift) / width;
    int below = square / squares, row = chunk / across;
    int x = (chunk - row * across) * width + 2 * (square - below * squares) + (column & 1);
    return ((row * 4 + below * 2 + ((column >> 1) & 1)) << shift) + x;
}
