const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text as it was encoded, a byte order mark included; `undefined` for what is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
