export const faults = 1;
