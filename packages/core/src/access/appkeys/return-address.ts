import type { AppKey } from "../../storage/index.ts";

/** Characters; no longer address is taken from a client. */
export const longestReturnAddress = 2_048;

/** What RFC 3986 lets a path hold, but for `*`: an address with one looks like a pattern and matches nothing. */
const pathCharacter = "(?:[A-Za-z0-9._~!$&'()+,;=:@/-]|%[0-9A-Fa-f]{2})";
const path = `(?:/${pathCharacter}*)?`;
const query = `(?:\\?(?:${pathCharacter}|\\?)*)?`;
const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** A name, whose last label is no number, or four numbers: browsers read others in a way of their own. */
const host = `(?:(?:${label}\\.)*(?=[a-z])${label}|${octet}(?:\\.${octet}){3})`;
const port = "(?::([1-9]\\d{0,4}))?";
const loopback = "http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])";

const forms: readonly RegExp[] = [
  new RegExp(`^https://${host}${port}${path}${query}$`),
  new RegExp(`^${loopback}${port}${path}${query}$`),
  // RFC 8252, 8.4: an app's own scheme is a reversed domain name. One without a dot can be any scheme, `javascript` included.
  new RegExp(`^[a-z][a-z0-9+-]*\\.[a-z0-9+.-]*:(?://(?:[a-z0-9.-]+${port})?${path}|(?!//)${pathCharacter}+)${query}$`),
];

/** Parameters that the server adds. */
const added: ReadonlySet<string> = new Set(["code", "error"]);

/**
 * Whether an app key may list it as an address to return to: `https`, `http` to this machine, or a scheme of the app's own
 * with a dot in it. It has no fragment, no user information and no wildcard. A query may not contain `code` or `error`.
 */
export function isReturnAddress(text: string): boolean {
  if (text.length > longestReturnAddress) return false;
  return (
    forms.some((form) => {
      const found = form.exec(text);
      return found !== null && Number(found[1] ?? 1) <= 65_535;
    }) && parameterNames(text)?.some((name) => added.has(name)) === false
  );
}

/** Whether the app key lists this address; the port of a loopback address is ignored (RFC 8252, 7.3). */
export function listsReturnAddress({ returnAddresses }: Pick<AppKey, "returnAddresses">, text: string): boolean {
  const wanted = withoutLoopbackPort(text);
  return returnAddresses.some((listed) => withoutLoopbackPort(listed) === wanted) && isReturnAddress(text);
}

/** The address with a parameter more. The value needs no escaping. */
export function withParameter(address: string, name: "code" | "error", value: string): string {
  const separator = !address.includes("?") ? "?" : /[?&]$/.test(address) ? "" : "&";
  return `${address}${separator}${name}=${value}`;
}

function withoutLoopbackPort(address: string): string {
  return address.replace(new RegExp(`^(${loopback}):\\d+(?=[/?]|$)`), "$1");
}

/** The names of the parameters in its query, decoded; `null` if one is not UTF-8. */
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
