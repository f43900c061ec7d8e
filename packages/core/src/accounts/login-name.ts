/** The form in which user names are stored and compared. */
export function loginNameOf(text: string): string {
  return text.normalize("NFC");
}

/** Two names with the same key look alike: they differ at most by case, white space or compatibility characters. */
export function confusableKeyOf(loginName: string): string {
  return loginName.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, "");
}
