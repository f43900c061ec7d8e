/** Members of bodies, and parameters, that hold a credential. */
const secrets = new Set([
  "2faToken",
  "appkey",
  "clientSecret",
  "confirmationCode",
  "dfUuid",
  "id_token",
  "ivPrefix",
  "key",
  "newPassword",
  "passwordDigest",
  "oldPassword",
  "otpauthUrl",
  "pass",
  "password",
  "privateKey",
  "recoveryCodes",
  "resetPasswordToken",
  "secret",
  "sessionId",
  "symmetricKey",
  "token",
  "verifier",
]);

/** Members that hold a credential if they are as long as one, and else a short word. */
const sometimes = new Set(["code", "state"]);

const shortestCredential = 16;

/** Whether a member or parameter holds a credential. */
export const isSecret = (name: string, value?: unknown): boolean =>
  secrets.has(name) || (sometimes.has(name) && typeof value === "string" && value.length >= shortestCredential);

/** Stands for the value of a member. */
export const maskOf = (name: string): string => `<${name}>`;

/** A value as JSON, with masks for its credentials. */
export function maskedJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, maskedMember, indent);
}

/** A copy of a JSON value with masks for its credentials; `undefined` stays. */
export function masked(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(maskedJson(value));
}

/** A text with masks for its credentials: JSON, an URL, a form, or anything else. */
export function maskedText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const shown = maskedJson(value);
    return shown === JSON.stringify(value) ? text : shown;
  } catch {
    return maskedAddress(text);
  }
}

/** A text with masks for the credentials of the URLs in it. */
function maskedAddress(text: string): string {
  return text
    .replaceAll(/(?<=\/v1\/link\/)[^/?#\s]+/g, maskOf("signature"))
    .replaceAll(/(?<=^|[?&])([^=?&#\s]+)=([^&#\s]+)/g, (pair, name: string, value: string) =>
      isSecret(name, value) ? `${name}=${maskOf(name)}` : pair,
    );
}

function maskedMember(member: string, value: unknown): unknown {
  if (!isSecret(member, value)) return typeof value === "string" ? maskedAddress(value) : value;
  if (Array.isArray(value)) return value.map((each) => maskedMember(member, each));
  return typeof value === "string" || typeof value === "number" ? maskOf(member) : value;
}
