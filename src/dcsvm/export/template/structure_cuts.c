    {
      const long last = (long)node_first[inner + 1];
      long cut = (long)node_first[inner], child = cut + inner;
      for (; cut < last; ++cut) child += value > node_cut[cut];
      node = (int)node_child[child];
    }
