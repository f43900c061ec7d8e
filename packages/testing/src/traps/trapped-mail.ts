/** A mail that the service has sent. */
export interface TrappedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Tokens and codes in the text, in their order: alone on a line or in a link. */
  readonly codes: readonly string[];
  /** URLs in the text. */
  readonly links: readonly string[];
}

interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A token is 43 characters of base64url; a confirmation code has groups of letters and digits. */
const token = /(?<![\w-])[\w-]{43}(?![\w-])/g;
const code = /^\s*([A-Z0-9]{3,12}(?:-[A-Z0-9]{3,12})+|[A-Z0-9]{6,16})\s*$/gm;
const link = /\bhttps?:\/\/[^\s<>"]+/g;

export function trappedMail({ to, subject, text, html }: SentMail): TrappedMail {
  const found = [...text.matchAll(token), ...Array.from(text.matchAll(code))].toSorted(
    (one, other) => one.index - other.index,
  );
  const codes = [...new Set(found.map(([whole, group]) => group ?? whole))];
  return { to, subject, text, html, codes, links: text.match(link) ?? [] };
}
