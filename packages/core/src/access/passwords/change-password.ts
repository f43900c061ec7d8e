import { ServiceError } from "@sallyport/storage";
import type { SessionContext, Uses } from "../../request/index.ts";
import { isPasswordText } from "./password-policy.ts";
import {
  type PasswordChangeInput,
  type ChangePasswordServices,
  type PasswordChangeResult,
  changeOwnPassword,
} from "./change-own-password.ts";
import { changeCustomPassword } from "../custom-users/change-custom-password.ts";

export interface ChangePasswordInput extends PasswordChangeInput {
  /** Whether both passwords are base64 of text encrypted with the server's RSA key. */
  readonly encrypted: boolean;
}

/** Changes the password of the session's account. Order of refusals: 319, 320, 321, 339. */
export async function changePassword(
  context: SessionContext & Uses<Omit<ChangePasswordServices, "hasher">>,
  { encrypted, ...input }: ChangePasswordInput,
): Promise<PasswordChangeResult> {
  const { oldPassword, newPassword } = encrypted ? await opened(context, input) : input;
  if (!isPasswordText(oldPassword)) throw new ServiceError(319);
  if (!isPasswordText(newPassword)) throw new ServiceError(320);
  const change = context.session.authenticationMethod.kind === "custom" ? changeCustomPassword : changeOwnPassword;
  return change(context, { oldPassword, newPassword, language: input.language });
}

async function opened(
  context: SessionContext & Uses<Pick<ChangePasswordServices, "passwordMessages">>,
  { oldPassword, newPassword }: PasswordChangeInput,
): Promise<Pick<PasswordChangeInput, "oldPassword" | "newPassword">> {
  const [old, fresh] = await context.services.passwordMessages.open(context, [oldPassword, newPassword]);
  if (old === undefined) throw new ServiceError(319);
  if (fresh === undefined) throw new ServiceError(320);
  return { oldPassword: old, newPassword: fresh };
}
