import { type GivenPassword, type PasswordPolicy, ServiceError } from "@sallyport/core";
import { CommandError } from "../command-error.ts";

/** Refuses, in words for whoever types it, a password that users could not choose either; else the text that is hashed. */
export function acceptPassword(policy: PasswordPolicy, given: GivenPassword, shortest?: number): string {
  try {
    return policy.accept(given, shortest);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 320) throw new CommandError(error.detail ?? error.message);
    throw error;
  }
}
