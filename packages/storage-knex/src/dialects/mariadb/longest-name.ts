/** Characters of a text that fit into an index. */
export const longestName = 768;
