/** The form in which user names are stored and compared. */
export function loginNameOf(text: string): string {
  return text.normalize("NFC");
}

/** Two names with the same key look alike: they differ at most by case, white space, invisible or compatibility characters. */
export function confusableKeyOf(loginName: string): string {
  // There and back: some letters have one capital for two small ones, or two capitals for one small one.
  const folded = loginName.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
  return folded.replaceAll(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]+/gu, "");
}
