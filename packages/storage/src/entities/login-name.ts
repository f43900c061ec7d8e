/** The stored and compared form of a login name. */
export function loginNameOf(text: string): string {
  return text.normalize("NFC");
}

/** Equal for names that look alike: they differ only by case, white space, invisible or compatibility characters. */
export function confusableKeyOf(loginName: string): string {
  // Both conversions are needed: some letters share one upper case, others share one lower case.
  const folded = loginName.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
  return folded.replaceAll(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]+/gu, "");
}
