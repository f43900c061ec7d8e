import { encodeBase64 } from "@sallyport/contract/secure";
import type { SallyportClient } from "../client.ts";
import { md5 } from "../crypto/md5.ts";
import { encryptBlocks, readServerKey } from "../crypto/rsa.ts";
import { ChannelError } from "../errors.ts";
import type { KeyOptions, LogInFields } from "../options.ts";
import type { CallOptions } from "../requests.ts";

export interface PasswordChange extends Pick<LogInFields, "passwordHash"> {
  readonly oldPassword: string;
  /** Sent as it is, so that the server can judge it. */
  readonly newPassword: string;
  /** Encrypts both with the server's RSA key; `true` for a key that is fetched now. In secure mode everything is encrypted anyway. */
  readonly encrypted?: boolean | Omit<KeyOptions, "keyPair"> | undefined;
}

const padding = "OAEP-SHA-256";

/**
 * Changes the password of the user (`POST /v1/changePassword`): 319, 320, 321, or 339 when the old one is wrong, which counts as a failed log-in. All
 * other sessions end, this one goes on, and the client logs in anew with the new password. With `confirmationRequired`
 * nothing has changed yet: a code was mailed, for `confirmPasswordChange`.
 */
export async function changePassword(
  client: SallyportClient,
  change: PasswordChange,
  options: CallOptions = {},
): Promise<{ readonly confirmationRequired: boolean }> {
  const { passwordHash, encrypted = false } = change;
  const texts = {
    oldPassword: currentPassword(change.oldPassword, passwordHash),
    newPassword: newPassword(change.newPassword, passwordHash),
  };
  const body = encrypted === false ? texts : await sealed(client, texts, encrypted === true ? {} : encrypted, options);
  const { data } = await client.request<{ readonly confirmationRequired?: boolean }>({
    ...options,
    method: "POST",
    path: "/v1/changePassword",
    body,
  });
  const confirmationRequired = data.confirmationRequired === true;
  if (!confirmationRequired) client.replacePassword(change.newPassword);
  return { confirmationRequired };
}

/** Has the new password of a custom user take effect, with the code that was mailed; 326. The client logs in anew with it if it is told. */
export async function confirmPasswordChange(
  client: SallyportClient,
  confirmationCode: string,
  { newPassword: changed, ...options }: CallOptions & { readonly newPassword?: string } = {},
): Promise<void> {
  await client.request({
    ...options,
    method: "POST",
    path: "/v1/auth/df/confirmChangePassword",
    body: { confirmationCode },
  });
  client.replacePassword(changed);
}

async function sealed(
  client: SallyportClient,
  texts: Readonly<Record<string, string>>,
  key: Omit<KeyOptions, "keyPair">,
  options: CallOptions,
): Promise<object> {
  const serverKey = await readServerKey(key.serverKey ?? (await fetchKey(client, key, options)), padding);
  const seal = async (text: string) =>
    encodeBase64(await encryptBlocks(serverKey, padding, new TextEncoder().encode(text)));
  const entries = Object.entries(texts).map(async ([name, text]) => [name, await seal(text)] as const);
  return { ...Object.fromEntries(await Promise.all(entries)), encrypted: true };
}

async function fetchKey(
  client: SallyportClient,
  { allowUnprotectedKey = false }: KeyOptions,
  options: CallOptions,
): Promise<string> {
  if (!client.isProtected && !allowUnprotectedKey) throw new ChannelError("unprotected-key");
  const { data } = await client.request<{ readonly key: string }>({
    ...options,
    path: "/v2/login/secure/key",
    anonymous: true,
  });
  return String(data.key);
}

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

const digest = /^[0-9a-f]{32}$/i;

/** A password that the server knows: in the form of a log-in. */
function currentPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  return passwordHash === "none" ? password : md5(password);
}

/** A new one: as it is, so that the server can judge it. One that looks like a digest would be taken for one. */
function newPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  return passwordHash !== "none" && digest.test(password) ? md5(password) : password;
}
