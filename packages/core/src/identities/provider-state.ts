import type { Digest } from "../digests/digest.ts";
import type { OneTimePayload } from "../one-time/one-time-repository.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";
import type { ProviderType } from "./identity-link.ts";
import type { ProviderSealing } from "./provider-sealing.ts";

/** Milliseconds for which somebody can be away at a provider. */
export const stateLifetime = 600_000;

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
}

/** As it is stored: what would be of use to whoever reads the table is sealed. */
export function storedState({ codeVerifier, nonce, secondFactor, ...known }: ProviderState, sealing: ProviderSealing): OneTimePayload {
  return { ...known, sealed: sealing.sealState({ codeVerifier, nonce, secondFactor }) };
}

/** What was stored; `null` if another master key sealed it. */
export function openedState(stored: OneTimePayload, sealing: ProviderSealing): ProviderState | null {
  const { sealed, ...known } = stored as unknown as Omit<ProviderState, "codeVerifier" | "nonce" | "secondFactor"> & { readonly sealed: string };
  const secrets = sealing.openState(sealed);
  return secrets === undefined ? null : { ...known, ...(secrets as unknown as Pick<ProviderState, "codeVerifier" | "nonce" | "secondFactor">) };
}
