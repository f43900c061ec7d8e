import type { Digest } from "../digests/digest.ts";
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

/** The name of the cookie of a log-in: several can be under way in one browser. */
export function cookieName(state: Digest): string {
  return `sallyport_login_${state.slice(0, 8)}`;
}

export function browserCookie(state: Digest, value: string, redirectUri: string): BrowserCookie {
  const [, protocol = "", path = "/"] = /^([a-z]+):\/\/[^/]+(\/.*)$/.exec(redirectUri) ?? [];
  return { name: cookieName(state), value, path, secure: protocol === "https", maxAge: value === "" ? 0 : stateLifetime / 1_000 };
}
