/** Ends the session of whoever asks. */
export const one = 1;
