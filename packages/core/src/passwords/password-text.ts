const longestPassword = 1_024;

/** Whether a text can be a password, as one of a log-in can: not blank, at most 1,024 characters. */
export function isPasswordText(text: string): boolean {
  return text.trim() !== "" && text.length <= longestPassword;
}
