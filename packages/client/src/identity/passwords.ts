import { encodeBase64 } from "@sallyport/contract/secure";
import type { SallyportClient } from "../client.ts";
import { encryptBlocks, readServerKey } from "../crypto/rsa.ts";
import { sentNewPassword, sentPassword } from "../crypto/sent-password.ts";
import { ChannelError } from "../errors.ts";
import type { KeyOptions, LogInFields } from "../options.ts";
import type { CallOptions } from "../requests.ts";

export interface PasswordChange extends Pick<LogInFields, "passwordHash"> {
  readonly oldPassword: string;
  /** Sent in plain text, so that the server can check its strength. */
  readonly newPassword: string;
  /** Encrypts both with the server's RSA key; `true` fetches the key. Secure mode encrypts everything anyway. */
  readonly encrypted?: boolean | Omit<KeyOptions, "keyPair"> | undefined;
}

const padding = "OAEP-SHA-256";

/**
 * Changes the user's password (`POST /v1/changePassword`). Errors: 319, 320, 321; 339 for a wrong old password, which
 * counts as a failed log-in. All other sessions end. Automatic log-ins use the new password. With
 * `confirmationRequired`, the change takes effect at `confirmPasswordChange` with the code from the mail.
 */
export async function changePassword(
  client: SallyportClient,
  change: PasswordChange,
  options: CallOptions = {},
): Promise<{ readonly confirmationRequired: boolean }> {
  const { passwordHash, encrypted = false } = change;
  const texts = {
    oldPassword: sentPassword(change.oldPassword, passwordHash),
    newPassword: sentNewPassword(change.newPassword, passwordHash),
  };
  const body = encrypted === false ? texts : await sealed(client, texts, encrypted === true ? {} : encrypted, options);
  const data = await client.call("POST /v1/changePassword", { ...options, body });
  const confirmationRequired = data.confirmationRequired === true;
  if (!confirmationRequired) client.replacePassword(change.newPassword);
  return { confirmationRequired };
}

/** Confirms the password change of a custom user; 326 for a wrong code. Automatic log-ins then use `newPassword`. */
export async function confirmPasswordChange(
  client: SallyportClient,
  confirmationCode: string,
  { newPassword: changed, ...options }: CallOptions & { readonly newPassword?: string } = {},
): Promise<void> {
  await client.call("POST /v1/auth/df/confirmChangePassword", { ...options, body: { confirmationCode } });
  client.replacePassword(changed);
}

async function sealed(
  client: SallyportClient,
  { oldPassword, newPassword }: Readonly<Record<"oldPassword" | "newPassword", string>>,
  key: Omit<KeyOptions, "keyPair">,
  options: CallOptions,
): Promise<Readonly<Record<"oldPassword" | "newPassword", string>> & { readonly encrypted: true }> {
  const serverKey = await readServerKey(key.serverKey ?? (await fetchKey(client, key, options)), padding);
  const seal = async (text: string) =>
    encodeBase64(await encryptBlocks(serverKey, padding, new TextEncoder().encode(text)));
  const [sealedOld, sealedNew] = await Promise.all([seal(oldPassword), seal(newPassword)]);
  return { oldPassword: sealedOld, newPassword: sealedNew, encrypted: true };
}

async function fetchKey(
  client: SallyportClient,
  { allowUnprotectedKey = false }: KeyOptions,
  options: CallOptions,
): Promise<string> {
  if (!client.isProtected && !allowUnprotectedKey) throw new ChannelError("unprotected-key");
  return String((await client.call("GET /v2/login/secure/key", { ...options, anonymous: true })).key);
}

export interface ResetOptions extends CallOptions {
  /** Whether `user` is a custom user (`customLogIn`). Default: false, a database user. */
  readonly custom?: boolean;
}

/** Mails a reset token. Unknown users cause the same response. 712 if mail is not configured. */
export async function resetPassword(
  client: SallyportClient,
  user: string,
  { custom = false, ...options }: ResetOptions = {},
): Promise<void> {
  const body = custom ? { user, custom } : { user };
  await client.call("POST /v1/resetPassword", { ...options, body, anonymous: true });
}

export interface PasswordReset extends Pick<LogInFields, "passwordHash"> {
  /** From the mail. One-time, valid for 30 minutes. */
  readonly token: string;
  readonly newPassword: string;
}

/** Sets a new password with a reset token. Errors: 328, 320. All sessions of the user end. */
export async function confirmResetPassword(
  client: SallyportClient,
  reset: PasswordReset,
  options: CallOptions = {},
): Promise<void> {
  const body = { resetPasswordToken: reset.token, newPassword: sentNewPassword(reset.newPassword, reset.passwordHash) };
  await client.call("POST /v1/confirmResetPassword", { ...options, body, anonymous: true });
}
