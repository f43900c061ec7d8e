import type { Digest } from "../digests/digests.ts";

/** What an app name asks of those who log in: it has no second factor, users may have one, or must. */
export type SecondFactorRule = "off" | "optional" | "forced";

/**
 * Whose second factor it is: `user:<id of the user object>`, `custom:<id of the custom account>`, or `link:<id>` of a link that
 * shares its user with others.
 */
export type FactorSubject = string;

/** The shared secret of one person for one app name. */
export interface SecondFactor {
  readonly subject: FactorSubject;
  readonly appName: string;
  /** Sealed under the master key. */
  readonly sealedSecret: string;
  /** Whether its owner has shown a token of it; before, it asks for nothing. */
  readonly confirmed: boolean;
  /** The latest time step of which a token was accepted; −1: none was. */
  readonly lastStep: number;
  /** SHA-256 of the recovery codes that are left. */
  readonly recoveryCodes: readonly Digest[];
}
