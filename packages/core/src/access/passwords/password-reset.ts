import type { AppKeyContext } from "../../request/index.ts";
import type { AuditEventType, ObjectId, RecordKind, RecordValue, Repositories } from "../../storage/index.ts";

/** Resets that were asked for, by the SHA-256 of their token; they belong to the subject of the account. */
export const passwordResets: RecordKind = "passwordReset";

export interface ResettableAccount {
  /** Whose history and resets those of the account are. */
  readonly subject: string;
  readonly loginName: string;
  /** Where his mail goes; `null`: nowhere. */
  readonly email: string | null;
  readonly secret: string;
  /** The user as whom he works. */
  readonly userId: ObjectId;
  /** What a token stands for that sets another password in the place of the current one. */
  readonly payload: RecordValue;

  /**
   * Puts the hash of a new password in the place of the current one: all sessions end, and so do other resets. `false`, and nothing is done, if the
   * account has another password by now. Belongs into a transaction.
   */
  replace(r: Repositories, secret: string): Promise<boolean>;
}

/** What a reset by mail is for the accounts of one kind. */
export interface PasswordReset {
  readonly event: Extract<AuditEventType, "password.reset" | "customPassword.reset">;
  /** Characters of a new password at least, where it is seen as its owner types it. */
  readonly shortest: number;

  /** Whether passwords of this kind are kept here at all: the same for every account. */
  isPossible(context: AppKeyContext): Promise<boolean>;

  /** Whom a name means; `null`: nobody, or somebody who is kept out. Awaits nothing but `r`. */
  named(r: Repositories, user: string): Promise<ResettableAccount | null>;

  /** Whose password a token sets; `null` where it sets none of this kind, or none any more. */
  meant(r: Repositories, payload: RecordValue): Promise<ResettableAccount | null>;
}

export interface PasswordResets {
  readonly own: PasswordReset;
  readonly custom: PasswordReset;
}
