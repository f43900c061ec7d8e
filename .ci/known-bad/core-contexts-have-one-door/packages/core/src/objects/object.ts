export const object = 1;
