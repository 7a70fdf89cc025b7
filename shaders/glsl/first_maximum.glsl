// x -> for each window of a volume the number of the tap of its first maximum, in row-major order.
#ifdef QUADS
#define X vec4
#else
#define X float
#endif

V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / out_w;
    int left = (pixel - line * out_w) * stride_w - pad_left;
    int plane = line / out_h;
    int top = (line - plane * out_h) * stride_h - pad_top;
    int batch = plane / out_d;
    int front = (plane - batch * out_d) * stride_d - pad_front;
    X best = X(0);
    V tap = V(-1);
    bool is_first = true;
    for (int fd = 0; fd < filter_d; fd++) {
        int id = front + fd * dilation_d;
        if (id < 0 || id >= in_d) continue;
        for (int fh = 0; fh < filter_h; fh++) {
            int ih = top + fh * dilation_h;
            if (ih < 0 || ih >= in_h) continue;
            for (int fw = 0; fw < filter_w; fw++) {
                int iw = left + fw * dilation_w;
                if (iw < 0 || iw >= in_w) continue;
                X x = x_value((((batch * in_d + id) * in_h + ih) * in_w + iw) * channels + c);
                V better = is_first ? V(1) : V(less(best, x));
                tap += better * (V((fd * filter_h + fh) * filter_w + fw) - tap);
                best = is_first ? x : maximum(best, x);
                is_first = false;
            }
        }
    }
    return tap;
}
