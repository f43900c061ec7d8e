import type { Digest } from "../digests/digests.ts";
import { stateLifetime } from "./provider-state.ts";

/** What binds a log-in at a provider to the browser that began it. */
export interface BrowserCookie {
  readonly name: string;
  /** Empty: the browser is to forget it. */
  readonly value: string;
  /** The path that it is sent to. */
  readonly path: string;
  /** Whether it travels over TLS only, and also with what a page of the provider's sends. */
  readonly secure: boolean;
  /** Seconds for which it is kept. */
  readonly maxAge: number;
}

/** Whether browsers reach the callback by TLS. */
export function isSecureCallback(redirectUri: string): boolean {
  return /^https:/i.test(redirectUri);
}

/**
 * The name of the cookie of a log-in: several can be under way in one browser. Over TLS it has the prefix that browsers take from the host itself alone, and
 * over TLS: neither a neighbouring host nor whoever stands in the way of plain HTTP can give somebody the cookie of a log-in of his own.
 */
export function cookieName(state: Digest, secure: boolean): string {
  return `${secure ? "__Host-" : ""}sallyport_login_${state.slice(0, 8)}`;
}

export function browserCookie(state: Digest, value: string, redirectUri: string): BrowserCookie {
  const secure = isSecureCallback(redirectUri);
  // With the prefix goes the path of the whole host.
  const path = secure ? "/" : redirectUri.replace(/^[a-z]+:\/\/[^/]+/i, "");
  return { name: cookieName(state, secure), value, path, secure, maxAge: value === "" ? 0 : stateLifetime / 1_000 };
}
