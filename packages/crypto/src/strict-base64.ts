/**
 * Decodes canonical base64 or base64url: correct alphabet and padding, no white space, no stray bits. Returns
 * `undefined` for any other text, so that bytes have only one encoding.
 */
export function strictBase64(text: string, encoding: "base64" | "base64url"): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
