// g and of each window the tap of its first maximum -> what g has there.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / out_w;
    int ow = pixel - line * out_w;
    int plane = line / out_h;
    int oh = line - plane * out_h;
    int batch = plane / out_d;
    int od = plane - batch * out_d;
    int tap = best_at(i);
    if (tap < 0) return V(0);
    int row = tap / filter_w;
    int fd = row / filter_h;
    int id = od * stride_d - pad_front + fd * dilation_d;
    int ih = oh * stride_h - pad_top + (row - fd * filter_h) * dilation_h;
    int iw = ow * stride_w - pad_left + (tap - row * filter_w) * dilation_w;
    return g_at((((batch * in_d + id) * in_h + ih) * in_w + iw) * channels + c);
}
