// Like conv.glsl with QUADS, but a fragment computes four output pixels of COLUMNS texels; the second
// texel is half a row after the first.
#ifdef IN_QUADS
vec4 four(int pixel, int channel) {
    return pixel < 0 ? vec4(0) : x_texel((pixel * in_c + channel) >> 2);
}

// Adds four input channels; their filter texels begin at f.
void add_channels(inout Rows sum, Rows x, int f) {
    add_products(sum, x, filter_texel(f), filter_texel(f + out_c), filter_texel(f + 2 * out_c),
                 filter_texel(f + 3 * out_c));
}
#else
float one(int pixel, int channel) {
    return pixel < 0 ? 0.0 : x_at(pixel * in_c + channel);
}
#endif

void tile(int i) {
    int columns = (out_c + COLUMNS - 1) / COLUMNS;
    ivec2 at = tile_at(i, columns);
    int group_in = in_c / groups;
    int first = at.x / (out_c / groups) * group_in;
    ivec4 w0 = window_at(tile_row(at.y, 0, spread)), w1 = window_at(tile_row(at.y, 1, spread));
    ivec4 w2 = window_at(tile_row(at.y, 2, spread)), w3 = window_at(tile_row(at.y, 3, spread));
    Rows s0 = Rows(V(0), V(0), V(0), V(0)), s1 = s0;
    EACH_TAP {
        int p0 = pixel_under(w0, fd, fh, fw), p1 = pixel_under(w1, fd, fh, fw);
        int p2 = pixel_under(w2, fd, fh, fw), p3 = pixel_under(w3, fd, fh, fw);
        int f = TAP * group_in * out_c + at.x;
#ifdef IN_QUADS
        for (int c = first; c < first + group_in; c += 4) {
            Rows x = Rows(four(p0, c), four(p1, c), four(p2, c), four(p3, c));
            add_channels(s0, x, f);
#if COLUMNS == 2
            add_channels(s1, x, f + columns);
#endif
            f += 4 * out_c;
        }
#else
        for (int c = first; c < first + group_in; c++) {
            V x = V(one(p0, c), one(p1, c), one(p2, c), one(p3, c));
            add_product(s0, x, filter_texel(f));
#if COLUMNS == 2
            add_product(s1, x, filter_texel(f + columns));
#endif
            f += out_c;
        }
#endif
    }
    STORE_TILE(s0, s1);
}
