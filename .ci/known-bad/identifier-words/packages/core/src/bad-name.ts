export const isImitation = true;
