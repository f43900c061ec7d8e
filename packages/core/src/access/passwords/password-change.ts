import type { MailLanguage } from "../../mail/index.ts";
import type { SessionContext } from "../../request/index.ts";

/** Both passwords plain, or as clients send them; neither is blank or longer than a password may be. */
export interface PasswordChangeInput {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** What the client wants to be written to in; `null`: it does not say. */
  readonly language: MailLanguage | null;
}

export interface PasswordChangeResult {
  /** The change takes effect only once it is confirmed. */
  readonly confirmationRequired?: true;
}

/** What a change of the password is for those who came in by one kind of entrance. Order of refusals: 320, 321, 339. */
export interface PasswordChange {
  run(context: SessionContext, input: PasswordChangeInput): Promise<PasswordChangeResult>;
}
