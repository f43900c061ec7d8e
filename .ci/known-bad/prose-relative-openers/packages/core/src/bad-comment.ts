// One that is broken
// is ignored.
export const one = 1;
