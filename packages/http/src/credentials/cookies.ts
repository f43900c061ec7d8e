import type { BrowserCookie } from "@sallyport/core";

/** The value of a cookie in the header of a request; `null` if there is none of the name, or two that differ. */
export function cookieValue(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return new Set(values).size === 1 ? (values[0] as string) : null;
}

/**
 * `Set-Cookie`. No script reads it. What a page of another site sends brings it along only over TLS, as browsers want it.
 */
export function cookieHeader({ name, value, path, secure, maxAge }: BrowserCookie): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; ${secure ? "SameSite=None; Secure" : "SameSite=Lax"}`;
}
