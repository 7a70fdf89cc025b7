// As conv3d_backprop_input.glsl with QUADS, but a fragment computes four neighbouring input pixels,
// one for each target.
struct Place {
    int image;
    int front;
    int top;
    int left;
};

Place place(int pixel) {
    int line = pixel / in_w;
    int plane = line / in_h;
    int image = plane / in_d;
    return Place(image, plane - image * in_d + pad_front, line - plane * in_h + pad_top,
                 pixel - line * in_w + pad_left);
}

// The texel of dy that the filter's tap connects with the place, or -1.
int tap(Place p, int fd, int fh, int fw) {
    int z = p.front - fd * dilation_d, y = p.top - fh * dilation_h, x = p.left - fw * dilation_w;
    int od = z / stride_d, oh = y / stride_h, ow = x / stride_w;
    bool inside = min(min(x, y), z) >= 0 && od * stride_d == z && oh * stride_h == y && ow * stride_w == x;
    inside = inside && od < out_d && oh < out_h && ow < out_w;
    return inside ? (((p.image * out_d + od) * out_h + oh) * out_w + ow) * (out_c >> 2) : -1;
}

vec4 products(int position, int step, vec4 f0, vec4 f1, vec4 f2, vec4 f3) {
    if (position < 0) return vec4(0);
    vec4 g = dy_texel(position + step);
    return vec4(dot(g, f0), dot(g, f1), dot(g, f2), dot(g, f3));
}

void tile(int i) {
    ivec2 at = tile_at(i, in_c >> 2);
    int ic = at.x * 4, pixel = tile_row(at.y, 0, spread);
    int next = out_c >> 2;
    Place p0 = place(pixel), p1 = place(pixel + 1);
    Place p2 = place(pixel + 2), p3 = place(pixel + 3);
    V r0 = V(0), r1 = r0, r2 = r0, r3 = r0;
    for (int fd = 0; fd < filter_d; fd++) {
        for (int fh = 0; fh < filter_h; fh++) {
            for (int fw = 0; fw < filter_w; fw++) {
                int d0 = tap(p0, fd, fh, fw), d1 = tap(p1, fd, fh, fw);
                int d2 = tap(p2, fd, fh, fw), d3 = tap(p3, fd, fh, fw);
                if (max(max(d0, d1), max(d2, d3)) < 0) continue;
                int f = (((fd * filter_h + fh) * filter_w + fw) * in_c + ic) * next;
                for (int step = 0; step < next; step++) {
                    vec4 f0 = filter_texel(f), f1 = filter_texel(f + next);
                    vec4 f2 = filter_texel(f + 2 * next), f3 = filter_texel(f + 3 * next);
                    r0 += products(d0, step, f0, f1, f2, f3);
                    r1 += products(d1, step, f0, f1, f2, f3);
                    r2 += products(d2, step, f0, f1, f2, f3);
                    r3 += products(d3, step, f0, f1, f2, f3);
                    f++;
                }
            }
        }
    }
    result0 = r0;
    result1 = r1;
    result2 = r2;
    result3 = r3;
}
