export const suite = 1;
