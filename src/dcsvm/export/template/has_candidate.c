static int has_candidate(int node, int c) {
  if (node < N_CLASSES) return node == c;
  return (int)(node_candidates[(long)(node - N_CLASSES) * N_WORDS + c / 32] >> (c % 32) & 1U);
}
