import type { PasswordHasher } from "@sallyport/core";

/** Does nothing slowly; for tests that are about something else. */
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
