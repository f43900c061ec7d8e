import { type AuditEventType, type Digests, ServiceError, type RandomSource } from "@sallyport/storage";
import { type ClientHash, type SessionContext, sessionEvent } from "../../request/index.ts";
import {
  isSentDigest,
  type NewPassword,
  newPasswordText,
  type PasswordHasher,
  typedPassword,
  verifyForms,
} from "../accounts/passwords.ts";
import type { HistorySettings } from "./replace-password.ts";

/** Default minimum length of a plain-text password, in characters. */
export const minPasswordLength = 8;

interface SentPassword {
  /** As a client sends it: 32 hexadecimal digits are the MD5 of a password, if clients send these. */
  readonly sent?: string;
}

/** Services of passwords. */
export interface PasswordServices {
  readonly hasher: PasswordHasher;
  readonly random: RandomSource;
  readonly passwordPolicy: PasswordPolicy;
  readonly settings: PasswordSettings;
}

export interface PasswordSettings extends HistorySettings {
  /** Minimum length of a plain-text password of a custom user, in characters. */
  readonly customPasswordMinLength: number;
}

/** Rules for new passwords. A violation throws 320. */
export class PasswordPolicy {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly breached: BreachedPasswords,
  ) {}

  /** Refuses short and breached passwords. Returns the text to hash. A digest hides the length, which is then not checked. */
  accept(
    { sent, ...newPassword }: NewPassword & SentPassword,
    clientHash: ClientHash,
    minLength: number = minPasswordLength,
  ): string {
    const [text, plain] = this.read(sent, newPassword, clientHash);
    const typed = plain?.normalize("NFC");
    if (typed !== undefined && [...typed].length < minLength)
      throw new ServiceError(320, { detail: `The password has fewer than ${minLength} characters.` });
    const { digests } = this;
    // Someone may take the digest of a breached password for a password.
    const candidates =
      typed === undefined ? [text] : [digests.md5(typed), digests.md5(typed.toLowerCase()), typed.toLowerCase()];
    if (candidates.some((md5) => this.breached.has(md5)))
      throw new ServiceError(320, { detail: "The password is in a list of breached passwords." });
    return text;
  }

  /** The text to hash, and the plain text; `undefined` for a digest. */
  private read(
    sent: string | undefined,
    newPassword: NewPassword,
    clientHash: ClientHash,
  ): readonly [text: string, plain: string | undefined] {
    const { digests } = this;
    if (sent === undefined) return [newPasswordText(newPassword, clientHash, digests), newPassword.password];
    if (isSentDigest(sent, clientHash)) return [sent.toLowerCase(), undefined];
    return [typedPassword(sent, clientHash, digests), sent];
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
    if (!(await verifyForms(this.hasher, secret, old, null))) return null;
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
  /** The forms of the old password. */
  readonly old: readonly string[];
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
