/** An answer that nobody reads. */
export const answer = 42;
