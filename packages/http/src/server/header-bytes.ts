/** Bytes that the head of a request may have. */
export const headerBytes = 16 * 1024;
