import { ServiceError } from "@sallyport/storage";
import type { MailLanguage } from "../../mail/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { PasswordMessages } from "../channels/password-messages.ts";
import { isPasswordText } from "./password-policy.ts";

/** Both passwords are plain text or client hashes, not blank and within the maximum length. */
export interface PasswordChangeInput {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** Language of the notice. `null`: the configured default. */
  readonly language: MailLanguage | null;
}

export interface PasswordChangeResult {
  /** The change takes effect after confirmation. */
  readonly confirmationRequired?: true;
}

/** The password change of one realm. Order of refusals: 320, 321, 339. */
export interface PasswordChange {
  changePassword(context: SessionContext, input: PasswordChangeInput): Promise<PasswordChangeResult>;
}

export interface ChangePasswordInput extends PasswordChangeInput {
  /** Whether both passwords are base64 of text encrypted with the server's RSA key. */
  readonly encrypted: boolean;
}

export interface ChangePasswordParts {
  readonly messages: PasswordMessages;
  /** For sessions of database users and of identity providers. */
  readonly own: PasswordChange;
  readonly custom: PasswordChange;
}

/** Changes the password of the session's account. Order of refusals: 319, 320, 321, 339. */
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
