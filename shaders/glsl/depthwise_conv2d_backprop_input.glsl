// dy, filter -> dx. QUADS (only with multiplier 1): channels count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int pixel = i / in_c;
    int c = i - pixel * in_c;
    int line = pixel / in_w;
    int left = pixel - line * in_w + pad_left;
    int batch = line / in_h;
    int top = line - batch * in_h + pad_top;
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int y = top - fh * dilation_h;
        int oh = y / stride_h;
        if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int x = left - fw * dilation_w;
            int ow = x / stride_w;
            if (x < 0 || ow * stride_w != x || ow >= out_w) continue;
            int d = ((batch * out_h + oh) * out_w + ow) * out_c + c * multiplier;
            int f = (fh * filter_w + fw) * out_c + c * multiplier;
            for (int j = 0; j < multiplier; j++) sum += dy_value(d + j) * filter_value(f + j);
        }
    }
    return sum;
}
