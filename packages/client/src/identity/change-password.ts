import type { SallyportClient } from "../client.ts";
import { bodyToBase64 } from "../crypto/body-base64.ts";
import { readServerKey } from "../crypto/read-server-key.ts";
import { encryptBlocks } from "../crypto/rsa-blocks.ts";
import { ChannelError } from "../errors/channel-error.ts";
import type { KeyOptions, LogInFields } from "../logins/log-in-options.ts";
import type { CallOptions } from "../requests/call-options.ts";
import { knownPassword, newPassword } from "./password-text.ts";

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
    oldPassword: knownPassword(change.oldPassword, passwordHash),
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
    bodyToBase64(await encryptBlocks(serverKey, padding, new TextEncoder().encode(text)));
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
