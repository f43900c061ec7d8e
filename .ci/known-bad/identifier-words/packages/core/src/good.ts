/** Reads `isImitation`. */
export const key = "isImitation";
