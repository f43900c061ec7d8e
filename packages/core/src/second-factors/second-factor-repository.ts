import type { Digest } from "../digests/digests.ts";

/** Names one factor: whose, and for which app name. */
export type FactorKey = Pick<SecondFactor, "subject" | "appName">;

/** A factor to begin with. */
export type NewSecondFactor = FactorKey & Pick<SecondFactor, "sealedSecret" | "recoveryCodes">;

/** Port: second factors. What is accepted once is accepted nowhere again, however many try at once, in however many processes. */
export interface SecondFactorRepository {
  /** Those of a subject for any of these app names, in the order of the app names by code points. */
  find(subject: FactorSubject, appNames: readonly string[]): Promise<SecondFactor[]>;

  /**
   * Begins, or begins anew with another secret: not confirmed, and without a step that was accepted. `confirmed`, and nothing
   * changes, if there is a confirmed one. A text that is not storable: 307.
   */
  enrol(factor: NewSecondFactor): Promise<"enrolled" | "confirmed">;

  /**
   * Accepts a time step that is later than the last one, and confirms the factor; otherwise `false`, also if the factor has
   * another secret by now than the one for which the step was found.
   */
  accept(factor: FactorKey & Pick<SecondFactor, "sealedSecret">, step: number): Promise<boolean>;

  /** Spends a recovery code of a confirmed factor; `false` if it is none of those that are left. */
  recover(factor: FactorKey, code: Digest): Promise<boolean>;

  /** `false` if there was none. Without an app name: all of the subject. */
  remove(subject: FactorSubject, appName: string | null): Promise<boolean>;

  /** At most `limit` of them in the order of their subjects, then of their app names, by code points: from the first (`null`), or those after one. */
  list(after: FactorKey | null, limit: number): Promise<SecondFactor[]>;
}

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
