import type { SallyportClient } from "../client.ts";
import type { LogInFields } from "../logins/log-in-options.ts";
import type { CallOptions } from "../requests/call-options.ts";
import { newPassword } from "./password-text.ts";

export interface ResetOptions extends CallOptions {
  /** Whether it is the name of a custom user (`customLogIn`); of a database user unless given. */
  readonly custom?: boolean;
}

/** Has a token mailed with which the user can set a new password. The answer is the same whether there is such a user or not; 712 without mail. */
export async function resetPassword(
  client: SallyportClient,
  user: string,
  { custom = false, ...options }: ResetOptions = {},
): Promise<void> {
  await client.request({
    ...options,
    method: "POST",
    path: "/v1/resetPassword",
    body: custom ? { user, custom } : { user },
    anonymous: true,
  });
}

export interface PasswordReset extends Pick<LogInFields, "passwordHash"> {
  /** What the mail says; good once, for 30 minutes. */
  readonly token: string;
  readonly newPassword: string;
}

/** Sets a new password with the token of a mail: 328, 320. All sessions of the user end. */
export async function confirmResetPassword(
  client: SallyportClient,
  reset: PasswordReset,
  options: CallOptions = {},
): Promise<void> {
  const body = { resetPasswordToken: reset.token, newPassword: newPassword(reset.newPassword, reset.passwordHash) };
  await client.request({ ...options, method: "POST", path: "/v1/confirmResetPassword", body, anonymous: true });
}
