// As conv3d.glsl with QUADS, but a fragment computes four neighbouring output elements, one for each
// target.
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
#else
float one(int position, int ic) {
    return position < 0 ? 0.0 : x_at(position + ic);
}
#endif

void rows(int i, out V r0, out V r1, out V r2, out V r3) {
    int block = i / out_c;
    Window w0 = window(4 * block), w1 = window(4 * block + 1);
    Window w2 = window(4 * block + 2), w3 = window(4 * block + 3);
    r0 = r1 = r2 = r3 = V(0);
    int f = i - block * out_c;
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
                    vec4 f0 = filter_texel(f), f1 = filter_texel(f + out_c);
                    vec4 f2 = filter_texel(f + 2 * out_c), f3 = filter_texel(f + 3 * out_c);
                    vec4 x0 = four(p0, ic), x1 = four(p1, ic), x2 = four(p2, ic), x3 = four(p3, ic);
                    r0 += x0.x * f0 + x0.y * f1 + x0.z * f2 + x0.w * f3;
                    r1 += x1.x * f0 + x1.y * f1 + x1.z * f2 + x1.w * f3;
                    r2 += x2.x * f0 + x2.y * f1 + x2.z * f2 + x2.w * f3;
                    r3 += x3.x * f0 + x3.y * f1 + x3.z * f2 + x3.w * f3;
                    f += 4 * out_c;
                }
#else
                for (int ic = 0; ic < in_c; ic++) {
                    vec4 y = filter_texel(f);
                    r0 += one(p0, ic) * y;
                    r1 += one(p1, ic) * y;
                    r2 += one(p2, ic) * y;
                    r3 += one(p3, ic) * y;
                    f += out_c;
                }
#endif
            }
        }
    }
}
