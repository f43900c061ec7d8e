import { type GivenPassword, type PasswordPolicy, ServiceError } from "@sallyport/core";
import { CommandError } from "../command-error.ts";

/** Refuses, in words for whoever types it, a password that users could not choose either. */
export function acceptPassword(policy: PasswordPolicy, given: GivenPassword): void {
  try {
    policy.accept(given);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 320) throw new CommandError(error.detail ?? error.message);
    throw error;
  }
}
