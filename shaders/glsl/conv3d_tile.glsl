// As conv3d.glsl with QUADS, but a fragment computes four output elements of COLUMNS
// texels, the second one half a row after the first.
struct Window {
    int image;
    int front;
    int top;
    int left;
};

Window window(int pixel) {
    int line = pixel / out_w;
    int plane = line / out_h;
    int image = plane / out_d;
    return Window(image, (plane - image * out_d) * stride_d - pad_front,
                  (line - plane * out_h) * stride_h - pad_top, (pixel - line * out_w) * stride_w - pad_left);
}

// The element of x under the filter's tap, or -1 outside the volume.
int tap(Window w, int fd, int fh, int fw) {
    int id = w.front + fd * dilation_d, ih = w.top + fh * dilation_h, iw = w.left + fw * dilation_w;
    bool inside = id >= 0 && id < in_d && ih >= 0 && ih < in_h && iw >= 0 && iw < in_w;
    return inside ? (((w.image * in_d + id) * in_h + ih) * in_w + iw) * in_c : -1;
}

#ifdef IN_QUADS
vec4 four(int position, int ic) {
    return position < 0 ? vec4(0) : x_texel((position + ic) >> 2);
}

// Four input channels, whose filter texels begin at f.
void add_channels(inout Rows sum, Rows x, int f) {
    add_products(sum, x, filter_texel(f), filter_texel(f + out_c), filter_texel(f + 2 * out_c),
                 filter_texel(f + 3 * out_c));
}
#else
float one(int position, int ic) {
    return position < 0 ? 0.0 : x_at(position + ic);
}
#endif

void tile(int i) {
    int columns = (out_c + COLUMNS - 1) / COLUMNS;
    ivec2 at = tile_at(i, columns);
    Window w0 = window(tile_row(at.y, 0, spread)), w1 = window(tile_row(at.y, 1, spread));
    Window w2 = window(tile_row(at.y, 2, spread)), w3 = window(tile_row(at.y, 3, spread));
    Rows s0 = Rows(V(0), V(0), V(0), V(0)), s1 = s0;
    int f = at.x;
    for (int fd = 0; fd < filter_d; fd++) {
        for (int fh = 0; fh < filter_h; fh++) {
            for (int fw = 0; fw < filter_w; fw++) {
                int p0 = tap(w0, fd, fh, fw), p1 = tap(w1, fd, fh, fw);
                int p2 = tap(w2, fd, fh, fw), p3 = tap(w3, fd, fh, fw);
                if (max(max(p0, p1), max(p2, p3)) < 0) {
                    f += in_c * out_c;
                    continue;
                }
#ifdef IN_QUADS
                for (int ic = 0; ic < in_c; ic += 4) {
                    Rows x = Rows(four(p0, ic), four(p1, ic), four(p2, ic), four(p3, ic));
                    add_channels(s0, x, f);
#if COLUMNS == 2
                    add_channels(s1, x, f + columns);
#endif
                    f += 4 * out_c;
                }
#else
                for (int ic = 0; ic < in_c; ic++) {
                    V x = V(one(p0, ic), one(p1, ic), one(p2, ic), one(p3, ic));
                    add_product(s0, x, filter_texel(f));
#if COLUMNS == 2
                    add_product(s1, x, filter_texel(f + columns));
#endif
                    f += out_c;
                }
#endif
            }
        }
    }
    STORE_TILE(s0, s1);
}
