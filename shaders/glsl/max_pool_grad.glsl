// x, dy and, of each window, the maximum (TIES_ALL) or its first place -> dx.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / in_w;
    int left = pixel - line * in_w + pad_left;
    int plane = line / in_h;
    int top = line - plane * in_h + pad_top;
    int batch = plane / in_d;
    int front = plane - batch * in_d + pad_front;
    V x = x_value(i);
    V sum = V(0);
    for (int fd = 0; fd < filter_d; fd++) {
        int z = front - fd * dilation_d;
        int od = z / stride_d;
        if (z < 0 || od * stride_d != z || od >= out_d) continue;
        for (int fh = 0; fh < filter_h; fh++) {
            int y = top - fh * dilation_h;
            int oh = y / stride_h;
            if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
            for (int fw = 0; fw < filter_w; fw++) {
                int w = left - fw * dilation_w;
                int ow = w / stride_w;
                if (w < 0 || ow * stride_w != w || ow >= out_w) continue;
                int at = (((batch * out_d + od) * out_h + oh) * out_w + ow) * channels + c;
#ifdef TIES_ALL
                V hit = not_less(x, best_value(at));
#else
                V hit = V(1) - min(V(abs(best_value(at) - (fd * filter_h + fh) * filter_w - fw)), V(1));
#endif
                sum += hit * dy_value(at);
            }
        }
    }
    return sum;
}
