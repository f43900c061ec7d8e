import type { PasswordHasher } from "@sallyport/core";

/** Hashes nothing slowly; for tests of other things. */
export class PlainPasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    return `plain:${password}`;
  }

  async verify(encoded: string | null, password: string): Promise<boolean> {
    return encoded === `plain:${password}`;
  }

  isOutdated(): boolean {
    return false;
  }
}
