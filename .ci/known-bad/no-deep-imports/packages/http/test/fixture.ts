export const fixture = 2;
