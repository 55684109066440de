    node = (int)node_child[2L * inner + (value > 0)];
