import { ServiceError } from "../../errors/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { PasswordMessages } from "../channels/password-messages.ts";
import type { PasswordChange, PasswordChangeInput, PasswordChangeResult } from "./password-change.ts";
import { isPasswordText } from "./password-policy.ts";

export interface ChangePasswordInput extends PasswordChangeInput {
  /** Whether both are base64 of what was encrypted with the server's RSA key. */
  readonly encrypted: boolean;
}

export interface ChangePasswordParts {
  readonly messages: PasswordMessages;
  /** Of those who came in with credentials of a database user, and of those whom a provider brought. */
  readonly own: PasswordChange;
  /** Of those who came in with a custom account. */
  readonly custom: PasswordChange;
}

/** Changes the password that the session was opened with: 319, 320, 321, 339, in this order. */
export class ChangePassword {
  constructor(private readonly parts: ChangePasswordParts) {}

  async run(context: SessionContext, { encrypted, ...given }: ChangePasswordInput): Promise<PasswordChangeResult> {
    const { oldPassword, newPassword } = encrypted ? await this.opened(context, given) : given;
    if (!isPasswordText(oldPassword)) throw new ServiceError(319);
    if (!isPasswordText(newPassword)) throw new ServiceError(320);
    const { own, custom } = this.parts;
    const change = context.session.entrance.kind === "custom" ? custom : own;
    return change.run(context, { oldPassword, newPassword, language: given.language });
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
