import type { Digests } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import type { AuditEventType } from "../../storage/index.ts";
import { clientPassword, type GivenPassword, type PasswordHasher } from "../accounts/verify-password.ts";

/** Default minimum length of a plain-text password, in characters. */
export const minPasswordLength = 8;

const md5Digits = /^[0-9a-f]{32}$/i;

/** Rules for new passwords. A violation throws 320. */
export class PasswordPolicy {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly breached: BreachedPasswords,
  ) {}

  /** Refuses short and breached passwords. Returns the text to hash. An MD5 client hash hides the length, which is then not checked. */
  accept(given: GivenPassword, minLength: number = minPasswordLength): string {
    const { pass, clientHash } = given;
    const isHashed = md5Digits.test(pass);
    if (!(isHashed && clientHash === "md5") && [...pass].length < minLength) {
      throw new ServiceError(320, { detail: `The password has fewer than ${minLength} characters.` });
    }
    const spellings = [
      this.digests.md5(pass),
      this.digests.md5(pass.toLowerCase()),
      ...(isHashed ? [pass.toLowerCase()] : []),
    ];
    if (spellings.some((md5) => this.breached.has(md5)))
      throw new ServiceError(320, { detail: "The password is in a list of breached passwords." });
    return clientPassword(pass, clientHash, this.digests);
  }

  /** Refuses a password that matches one of the hashes. */
  async acceptUnused(former: readonly string[], password: string): Promise<void> {
    for (const each of former) {
      if (await this.hasher.verify(each, password, null))
        throw new ServiceError(320, { detail: "The password was used before." });
    }
  }

  /** Returns the hash of the new password, or `null` if the old one is wrong. Checks reuse only after the old password. */
  async proveChange(
    context: SessionContext,
    { secret, old, password, former, refused }: ProvenChange,
  ): Promise<string | null> {
    if (!(await this.hasher.verify(secret, old, null))) return null;
    try {
      await this.acceptUnused(await former(), password);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 320)
        await context.r.audit.append(sessionEvent(context, { type: refused, outcome: 320 }));
      throw error;
    }
    return this.hasher.hash(password);
  }
}

interface ProvenChange {
  readonly secret: string;
  readonly old: string;
  readonly password: string;
  readonly former: () => Promise<readonly string[]>;
  /** Audit event for a reused password. */
  readonly refused: Extract<AuditEventType, "password.refused" | "customPassword.refused">;
}

/** Port: breached passwords. */
export interface BreachedPasswords {
  /** Whether the password with this MD5 (32 lower-case hexadecimal digits) is in the list. */
  has(md5: string): boolean;
}

const maxPasswordLength = 1_024;

/** Whether a text can be a password: not blank, at most 1,024 characters. */
export function isPasswordText(text: string): boolean {
  return text.trim() !== "" && text.length <= maxPasswordLength;
}
