// A broken hook
// is ignored.
export const one = 1;
