import type { Digest } from "../digests/digests.ts";
import type { OneTimePayload } from "../one-time/one-time-repository.ts";
import type { ProviderProfile } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-sealing.ts";
import type { ProviderState } from "./provider-state.ts";

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
export function storedCode(code: ReturnCode, sealing: ProviderSealing): OneTimePayload {
  return { sealed: sealing.sealCode({ ...code, profile: { ...code.profile } }) };
}

/** What was stored; `null` if another master key sealed it. */
export function openedCode(stored: OneTimePayload, sealing: ProviderSealing): ReturnCode | null {
  const { sealed } = stored as { readonly sealed: string };
  return (sealing.openCode(sealed) as unknown as ReturnCode | undefined) ?? null;
}
