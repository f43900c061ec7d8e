export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** By lower-case name, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Decoded bodies by content type. */
  readonly bodies: ReadonlyMap<string, string>;
}

export function receivedMail(raw: string, from = "", to: readonly string[] = []): ReceivedMail {
  const { headers, body } = taken(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type")?.[0] ?? "")?.[1];
  const parts =
    boundary === undefined
      ? [raw]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => part.replace(/^\r\n/, ""));
  const bodies = new Map(
    parts.map((part) => {
      const { headers: own, body: content } = taken(part);
      const type = (own.get("content-type")?.[0] ?? "").split(";")[0] ?? "";
      return [type, decoded(content, own.get("content-transfer-encoding")?.[0] ?? "7bit")];
    }),
  );
  return { from, to, raw, headers, bodies };
}

function taken(raw: string): { readonly headers: Map<string, string[]>; readonly body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const headers = new Map<string, string[]>();
  for (const line of raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")) {
    const [, name = "", value = ""] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), withoutEncodedWords(value)]);
  }
  return { headers, body: raw.slice(end + 4) };
}

function decoded(content: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(content, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return content;
  return quotedPrintable(content.replaceAll(/=\r\n/g, ""));
}

function quotedPrintable(text: string): string {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
}

function withoutEncodedWords(value: string): string {
  return value.replaceAll(/\?=\s+=\?/g, "?==?").replaceAll(/(?:=\?utf-8\?[QB]\?[^?]*\?=)+/gi, (words) => {
    const bytes = Array.from(words.matchAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi), ([, kind = "", text = ""]) => {
      if (kind.toUpperCase() === "B") return Buffer.from(text, "base64");
      const latin = text
        .replaceAll("_", " ")
        .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(latin, "latin1");
    });
    return Buffer.concat(bytes).toString("utf8");
  });
}
