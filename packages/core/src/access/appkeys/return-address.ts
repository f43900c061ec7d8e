import type { AppKey } from "@sallyport/storage";

/** Maximum length of a return address from a client, in characters. */
export const maxReturnAddressLength = 2_048;

/** Path characters of RFC 3986 except `*`. An address with `*` looks like a pattern, but patterns are not supported. */
const pathCharacter = "(?:[A-Za-z0-9._~!$&'()+,;=:@/-]|%[0-9A-Fa-f]{2})";
const path = `(?:/${pathCharacter}*)?`;
const query = `(?:\\?(?:${pathCharacter}|\\?)*)?`;
const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** A DNS name whose last label starts with a letter, or dotted IPv4. Browsers parse other numeric hosts differently. */
const host = `(?:(?:${label}\\.)*(?=[a-z])${label}|${octet}(?:\\.${octet}){3})`;
const port = "(?::([1-9]\\d{0,4}))?";
const loopback = "http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])";

const forms: readonly RegExp[] = [
  new RegExp(`^https://${host}${port}${path}${query}$`),
  new RegExp(`^${loopback}${port}${path}${query}$`),
  // RFC 8252, 8.4: a private-use scheme is a reversed domain name. Without a dot it may be `javascript`.
  new RegExp(`^[a-z][a-z0-9+-]*\\.[a-z0-9+.-]*:(?://(?:[a-z0-9.-]+${port})?${path}|(?!//)${pathCharacter}+)${query}$`),
];

/** Parameters that the server adds. */
const added: ReadonlySet<string> = new Set(["code", "error"]);

/**
 * Whether an app key may list the address: `https`, `http` on a loopback host, or a private-use scheme with a dot. It
 * has no fragment, user information or wildcard. Its query has no parameter named `code` or `error`.
 */
export function isReturnAddress(text: string): boolean {
  if (text.length > maxReturnAddressLength) return false;
  return (
    forms.some((form) => {
      const match = form.exec(text);
      return match !== null && Number(match[1] ?? 1) <= 65_535;
    }) && parameterNames(text)?.some((name) => added.has(name)) === false
  );
}

/** Whether the app key lists this address. The port of a loopback address is ignored (RFC 8252, 7.3). */
export function listsReturnAddress({ returnAddresses }: Pick<AppKey, "returnAddresses">, text: string): boolean {
  const expected = withoutLoopbackPort(text);
  return returnAddresses.some((listed) => withoutLoopbackPort(listed) === expected) && isReturnAddress(text);
}

/** Appends a query parameter. The value must not need escaping. */
export function withParameter(address: string, name: "code" | "error", value: string): string {
  const separator = !address.includes("?") ? "?" : /[?&]$/.test(address) ? "" : "&";
  return `${address}${separator}${name}=${value}`;
}

function withoutLoopbackPort(address: string): string {
  return address.replace(new RegExp(`^(${loopback}):\\d+(?=[/?]|$)`), "$1");
}

/** Returns the decoded parameter names of the query, or `null` if one is not valid UTF-8. */
function parameterNames(address: string): string[] | null {
  const [, ...text] = address.split("?");
  try {
    return text
      .join("?")
      .split("&")
      .map((parameter) => decodeURIComponent((parameter.split("=")[0] ?? "").replaceAll("+", " ")));
  } catch {
    return null;
  }
}
