/** Bytes of the objects that one transaction writes at most, of what they have and what they get: others wait for them meanwhile. */
export const mostWrittenBytes = 64 * 1024 * 1024;
