import type { ShownFactor } from "../access/index.ts";
import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import { type KeyWrapping, openJson, requireWrapping, sealJson } from "../keys/index.ts";
import type { JsonValue, ProviderType, RecordKind, RecordValue } from "../storage/index.ts";
import type { ProviderProfile } from "./identity-provider.ts";

/** The additional data of an entry, the secrets of a log-in under way, or what a return code stands for. */
type SealedPart = "data" | "state" | "return code";

/** Seals what an installation keeps of providers, and of log-ins at them. 705 without a master key. */
export class ProviderSealing {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  seal(what: SealedPart, value: JsonValue): string {
    return sealJson(requireWrapping(this.wrapping), value, `provider ${what}`);
  }

  /** `undefined` if another master key sealed it. */
  open(what: SealedPart, sealed: string): JsonValue | undefined {
    return openJson(requireWrapping(this.wrapping), sealed, `provider ${what}`);
  }

  /** Additional data of an entry; 608 if another master key sealed them. */
  openData(sealed: string): JsonValue {
    const data = this.open("data", sealed);
    if (data === undefined)
      throw new ServiceError(608, { detail: "The additional data were sealed under another master key." });
    return data;
  }
}

/** States of log-ins at providers, by the SHA-256 of the state. Admission takes them by this name. */
export const providerStates: RecordKind = "providerState";

/** Milliseconds for which somebody can be away at a provider. */
export const stateLifetime = 600_000;

/** Where an app wants the browser back after a log-in at a provider, instead of an answer of the callback. */
export interface ProviderReturn {
  readonly address: string;
  /** SHA-256 of the verifier that the app keeps. */
  readonly challenge: Digest;
  /** The callback address that the cookie of the log-in is for. */
  readonly redirectUri: string;
}

/** What a log-in at a provider is bound to, from its start to its callback. */
export interface ProviderState {
  readonly provider: ProviderType;
  readonly alias: string;
  /** Of the app key. */
  readonly appKey: Digest;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** Of what the browser keeps in its cookie. */
  readonly cookie: Digest;
  /** Whether that is a cookie of TLS, which its name says; missing: it is not. */
  readonly secureCookie?: boolean;
  readonly codeVerifier: string;
  readonly nonce: string;
  /** What came with the start for second factors, and when. */
  readonly secondFactor: Required<ShownFactor>;
  /** `null`: the callback answers itself. */
  readonly returning: ProviderReturn | null;
}

type Sealed = Pick<ProviderState, "codeVerifier" | "nonce" | "secondFactor" | "returning">;

/** As it is stored: what would be of use to whoever reads the table is sealed. */
export function storedState(
  { codeVerifier, nonce, secondFactor, returning, ...known }: ProviderState,
  sealing: ProviderSealing,
): RecordValue {
  const secrets = { codeVerifier, nonce, secondFactor, returning: returning && { ...returning } };
  return { ...known, sealed: sealing.seal("state", secrets) };
}

/** What was stored; `null` if another master key sealed it. */
export function openedState(stored: RecordValue, sealing: ProviderSealing): ProviderState | null {
  const { sealed, ...known } = stored as unknown as Omit<ProviderState, keyof Sealed> & { readonly sealed: string };
  const secrets = sealing.open("state", sealed);
  // One of a log-in that an earlier version began does not say where to return to.
  return secrets === undefined ? null : { ...known, ...({ returning: null, ...(secrets as object) } as Sealed) };
}

/** What binds a log-in at a provider to the browser that began it. */
export interface BrowserCookie {
  readonly name: string;
  /** Empty: the browser is to forget it. */
  readonly value: string;
  readonly path: string;
  /** Whether it travels over TLS only, and also with what a page of the provider's sends. */
  readonly secure: boolean;
  /** Seconds for which it is kept. */
  readonly maxAge: number;
}

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

/** Codes that apps trade for the outcome of a log-in at a provider, by the SHA-256 of the code. */
export const returnCodes: RecordKind = "returnCode";

/** Milliseconds for which an app can trade its code. */
export const returnCodeLifetime = 60_000;

/** What a code stands for: an identity that the provider has proven, and what the log-in was begun with. */
export interface ReturnCode
  extends Pick<ProviderState, "provider" | "alias" | "appNames" | "deviceId" | "secondFactor"> {
  /** No other app key can trade it. */
  readonly appKeyId: string;
  /** SHA-256 of the verifier. */
  readonly challenge: Digest;
  readonly profile: ProviderProfile;
}

/** As it is stored: sealed whole, because it identifies a person. */
export function storedCode(code: ReturnCode, sealing: ProviderSealing): RecordValue {
  return { sealed: sealing.seal("return code", { ...code, profile: { ...code.profile } }) };
}

/** What was stored; `null` if another master key sealed it. */
export function openedCode(stored: RecordValue, sealing: ProviderSealing): ReturnCode | null {
  const { sealed } = stored as { readonly sealed: string };
  return (sealing.open("return code", sealed) as unknown as ReturnCode | undefined) ?? null;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 256 bits in 43 characters: the last has two bits that say nothing, and are zero. */
const challengeForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** What a challenge of PKCE (RFC 7636, `S256`) is a digest of; `null` if it is none. */
export function digestOfChallenge(challenge: string): Digest | null {
  if (!challengeForm.test(challenge)) return null;
  let bits = 0n;
  for (const character of challenge) bits = (bits << 6n) | BigInt(alphabet.indexOf(character));
  return (bits >> 2n).toString(16).padStart(64, "0");
}

export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}
