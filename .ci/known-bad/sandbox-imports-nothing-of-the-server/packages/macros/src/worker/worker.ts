export const thread = 1;
