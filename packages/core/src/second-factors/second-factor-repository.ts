import type { Digest } from "../digests/digest.ts";
import type { FactorSubject, SecondFactor } from "./second-factor.ts";

/** Port: second factors. What is accepted once is accepted nowhere again, however many try at once. */
export interface SecondFactorRepository {
  /** Those of a subject for any of these app names, by app name. */
  find(subject: FactorSubject, appNames: readonly string[]): Promise<SecondFactor[]>;

  /** Begins anew with another secret, not confirmed; `confirmed`, and nothing changes, if there is a confirmed one. */
  enrol(factor: Pick<SecondFactor, "subject" | "appName" | "sealedSecret" | "recoveryCodes">): Promise<"enrolled" | "confirmed">;

  /** Accepts a time step that is later than the last one, and confirms; otherwise `false`. */
  accept(subject: FactorSubject, appName: string, step: number): Promise<boolean>;

  /** Spends a recovery code of a confirmed factor; `false` if it is none of those that are left. */
  recover(subject: FactorSubject, appName: string, code: Digest): Promise<boolean>;

  /** `false` if there was none. Without an app name: all of the subject. */
  remove(subject: FactorSubject, appName: string | null): Promise<boolean>;
}
