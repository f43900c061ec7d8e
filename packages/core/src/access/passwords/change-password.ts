import { ServiceError } from "../../errors/index.ts";
import type { MailLanguage } from "../../mail/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { PasswordMessages } from "../channels/password-messages.ts";
import { isPasswordText } from "./password-policy.ts";

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

/** A change of the password after one kind of log-in. Order of refusals: 320, 321, 339. */
export interface PasswordChange {
  changePassword(context: SessionContext, input: PasswordChangeInput): Promise<PasswordChangeResult>;
}

export interface ChangePasswordInput extends PasswordChangeInput {
  /** Whether both are base64 of what was encrypted with the server's RSA key. */
  readonly encrypted: boolean;
}

export interface ChangePasswordParts {
  readonly messages: PasswordMessages;
  /** Of those who came in with credentials of a database user, and of those whom a provider brought. */
  readonly own: PasswordChange;
  readonly custom: PasswordChange;
}

/** Changes the password that the session was opened with: 319, 320, 321, 339, in this order. */
export class ChangePassword {
  constructor(private readonly parts: ChangePasswordParts) {}

  async changePassword(
    context: SessionContext,
    { encrypted, ...given }: ChangePasswordInput,
  ): Promise<PasswordChangeResult> {
    const { oldPassword, newPassword } = encrypted ? await this.opened(context, given) : given;
    if (!isPasswordText(oldPassword)) throw new ServiceError(319);
    if (!isPasswordText(newPassword)) throw new ServiceError(320);
    const { own, custom } = this.parts;
    const change = context.session.authenticationMethod.kind === "custom" ? custom : own;
    return change.changePassword(context, { oldPassword, newPassword, language: given.language });
  }

  private async opened(
    context: SessionContext,
    { oldPassword, newPassword }: PasswordChangeInput,
  ): Promise<Pick<PasswordChangeInput, "oldPassword" | "newPassword">> {
    const [old, fresh] = await this.parts.messages.open(context, [oldPassword, newPassword]);
    if (old === undefined) throw new ServiceError(319);
    if (fresh === undefined) throw new ServiceError(320);
    return { oldPassword: old, newPassword: fresh };
  }
}
