export const record = 1;
