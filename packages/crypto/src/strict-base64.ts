/**
 * Reads base64 or base64url if the text is the one way in which we would write its bytes: the right alphabet, the right
 * padding, nothing around it, no bits left over. Anything else is `undefined`, so that no bytes have two texts.
 */
export function strictBase64(text: string, encoding: "base64" | "base64url"): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
