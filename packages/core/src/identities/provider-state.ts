import type { Digest } from "../digests/digests.ts";
import type { OneTimePayload } from "../one-time/one-time-repository.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";
import type { ProviderType } from "./identity-link.ts";
import type { ProviderSealing } from "./provider-sealing.ts";

/** Milliseconds for which somebody can be away at a provider. */
export const stateLifetime = 600_000;

/** Where an app wants the browser back after a log-in at a provider, instead of an answer of the callback. */
export interface ProviderReturn {
  /** Its app key lists it. */
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
): OneTimePayload {
  return {
    ...known,
    sealed: sealing.sealState({
      codeVerifier,
      nonce,
      secondFactor,
      returning: returning === null ? null : { ...returning },
    }),
  };
}

/** What was stored; `null` if another master key sealed it. */
export function openedState(stored: OneTimePayload, sealing: ProviderSealing): ProviderState | null {
  const { sealed, ...known } = stored as unknown as Omit<ProviderState, keyof Sealed> & { readonly sealed: string };
  const secrets = sealing.openState(sealed);
  // One of a log-in that an earlier version began does not say where to return to.
  return secrets === undefined ? null : { ...known, ...({ returning: null, ...(secrets as object) } as Sealed) };
}
