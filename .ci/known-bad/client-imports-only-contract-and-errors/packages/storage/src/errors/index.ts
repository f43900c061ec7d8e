export const code = 1;
