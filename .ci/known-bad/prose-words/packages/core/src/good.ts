/** Sends `nobody` to the log. */
export const names = ["nobody", "whoever"];
export const pattern = /"nobody likes that"/;
