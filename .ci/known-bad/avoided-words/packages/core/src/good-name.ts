/** The name of an account. */
export const account = "nobody";
