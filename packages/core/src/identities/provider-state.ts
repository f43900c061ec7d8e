import type { SecondFactorInput } from "../access/index.ts";
import {
  type Digest,
  type JsonValue,
  type ProviderType,
  type RecordKind,
  type RecordValue,
  ServiceError,
} from "@sallyport/storage";
import { type KeyWrapping, openJson, requireWrapping, sealJson } from "../keys/index.ts";
import type { ProviderProfile } from "./identity-provider.ts";

/** The additional data of an entry, the secrets of a pending log-in, or the payload of a return code. */
type SealedKind = "data" | "state" | "return code";

/** Seals provider settings and pending log-ins. Throws 705 without a master key. */
export class ProviderSealing {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  seal(what: SealedKind, value: JsonValue): string {
    return sealJson(requireWrapping(this.wrapping), value, `provider ${what}`);
  }

  /** Returns `undefined` if another master key sealed it. */
  open(what: SealedKind, sealed: string): JsonValue | undefined {
    return openJson(requireWrapping(this.wrapping), sealed, `provider ${what}`);
  }

  /** Returns the additional data of an entry. Throws 608 if another master key sealed them. */
  openData(sealed: string): JsonValue {
    const data = this.open("data", sealed);
    if (data === undefined)
      throw new ServiceError(608, { detail: "The additional data was encrypted with another master key." });
    return data;
  }
}

/** Pending log-ins by the SHA-256 of the state. Admission consumes them under this record kind. */
export const providerStates: RecordKind = "providerState";

/** Time to complete a log-in at a provider, in milliseconds. */
export const stateLifetime = 600_000;

/** The app's return address, which replaces the callback's own answer. */
export interface ReturnTarget {
  readonly address: string;
  /** SHA-256 of the app's PKCE verifier. */
  readonly challenge: Digest;
  /** The callback address, which scopes the cookie. */
  readonly redirectUri: string;
}

/** Everything bound to a log-in at a provider, from start to callback. */
export interface ProviderState {
  readonly provider: ProviderType;
  readonly alias: string;
  /** SHA-256 of the app key. */
  readonly appKey: Digest;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** SHA-256 of the cookie value. */
  readonly cookie: Digest;
  /** Whether the cookie has the secure name. Default: no. */
  readonly secureCookie?: boolean;
  readonly codeVerifier: string;
  readonly nonce: string;
  /** Second-factor input of the start, and its time. */
  readonly secondFactor: Required<SecondFactorInput>;
  /** `null`: the callback answers itself. */
  readonly returnTarget: ReturnTarget | null;
}

type SealedMembers = Pick<ProviderState, "codeVerifier" | "nonce" | "secondFactor" | "returnTarget">;

/** Converts to the stored form. Values that help a reader of the table are sealed. */
export function storedState(
  { codeVerifier, nonce, secondFactor, returnTarget, ...plain }: ProviderState,
  sealing: ProviderSealing,
): RecordValue {
  const secrets = { codeVerifier, nonce, secondFactor, returnTarget: returnTarget && { ...returnTarget } };
  return { ...plain, sealed: sealing.seal("state", secrets) };
}

/** Opens the stored form. Returns `null` if another master key sealed it. */
export function openedState(stored: RecordValue, sealing: ProviderSealing): ProviderState | null {
  const { sealed, ...plain } = stored as unknown as Omit<ProviderState, keyof SealedMembers> & {
    readonly sealed: string;
  };
  const secrets = sealing.open("state", sealed);
  // A log-in that an earlier version started has no `returnTarget`.
  return secrets === undefined
    ? null
    : { ...plain, ...({ returnTarget: null, ...(secrets as object) } as SealedMembers) };
}

/** The cookie that binds a log-in to the browser that started it. */
export interface BrowserCookie {
  readonly name: string;
  /** Empty: delete the cookie. */
  readonly value: string;
  readonly path: string;
  /** Whether the cookie is sent over TLS only, and also with cross-site requests from the provider. */
  readonly secure: boolean;
  /** Cookie lifetime in seconds. */
  readonly maxAge: number;
}

export function isSecureCallback(redirectUri: string): boolean {
  return /^https:/i.test(redirectUri);
}

/**
 * Returns the cookie name of a log-in. Several log-ins can be pending in one browser. Over TLS, the `__Host-` prefix
 * prevents sibling hosts and plain-HTTP attackers from planting the cookie of their own log-in.
 */
export function cookieName(state: Digest, secure: boolean): string {
  return `${secure ? "__Host-" : ""}sallyport_login_${state.slice(0, 8)}`;
}

export function browserCookie(state: Digest, value: string, redirectUri: string): BrowserCookie {
  const secure = isSecureCallback(redirectUri);
  // The `__Host-` prefix requires the path `/`.
  const path = secure ? "/" : redirectUri.replace(/^[a-z]+:\/\/[^/]+/i, "");
  return { name: cookieName(state, secure), value, path, secure, maxAge: value === "" ? 0 : stateLifetime / 1_000 };
}

/** Return codes by the SHA-256 of the code. Apps exchange them for the outcome of a log-in. */
export const returnCodes: RecordKind = "returnCode";

/** Time to exchange a return code, in milliseconds. */
export const returnCodeLifetime = 60_000;

/** Payload of a return code: the proven identity and the parameters of the log-in. */
export interface ReturnCode
  extends Pick<ProviderState, "provider" | "alias" | "appNames" | "deviceId" | "secondFactor"> {
  /** Only this app key can exchange the code. */
  readonly appKeyId: string;
  /** SHA-256 of the app's PKCE verifier. */
  readonly challenge: Digest;
  readonly profile: ProviderProfile;
}

/** Converts to the stored form, sealed as a whole because it identifies a person. */
export function storedCode(code: ReturnCode, sealing: ProviderSealing): RecordValue {
  return { sealed: sealing.seal("return code", { ...code, profile: { ...code.profile } }) };
}

/** Opens the stored form. Returns `null` if another master key sealed it. */
export function openedCode(stored: RecordValue, sealing: ProviderSealing): ReturnCode | null {
  const { sealed } = stored as { readonly sealed: string };
  return (sealing.open("return code", sealed) as unknown as ReturnCode | undefined) ?? null;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 256 bits in 43 characters. The last two bits are padding and must be zero. */
const challengeForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Returns the digest of a PKCE challenge (RFC 7636, `S256`), or `null` for a malformed one. */
export function digestOfChallenge(challenge: string): Digest | null {
  if (!challengeForm.test(challenge)) return null;
  let bits = 0n;
  for (const character of challenge) bits = (bits << 6n) | BigInt(alphabet.indexOf(character));
  return (bits >> 2n).toString(16).padStart(64, "0");
}

export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}
