import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import type { BrowserCookie } from "@sallyport/core";
import { valuesIn } from "../routing/query-string.ts";

export interface PresentedCredentials {
  readonly appKey: CredentialHeader;
  readonly sessionId: CredentialHeader;
  readonly authorization: CredentialHeader;
  readonly secureToken: CredentialHeader;
}

/** `value` is `null` if the header is absent. `conflict` marks duplicates with different values. */
export interface CredentialHeader {
  readonly value: string | null;
  readonly conflict: boolean;
}

/** Whether the header is absent or blank. Conflicting values count as present. */
export function isAbsent({ value, conflict }: CredentialHeader): boolean {
  return value === null || (value.trim() === "" && !conflict);
}

/** Code for an invalid credential: 201 for a session id alone, 203 if a token is present. */
export function sessionEndedCode({ authorization, secureToken }: PresentedCredentials): 201 | 203 {
  return isAbsent(authorization) && isAbsent(secureToken) ? 201 : 203;
}

/** The headers that name a session and are not blank. */
export function sessionCredentials(presented: PresentedCredentials): readonly CredentialHeader[] {
  const present: CredentialHeader[] = [];
  for (const each of [presented.sessionId, presented.authorization, presented.secureToken])
    if (!isAbsent(each)) present.push(each);
  return present;
}

const absent: CredentialHeader = { value: null, conflict: false };

/** Reads credential headers from the raw list, because Node joins or drops duplicates. */
export function presentedCredentials({ rawHeaders }: IncomingMessage): PresentedCredentials {
  const presented = { appKey: absent, sessionId: absent, authorization: absent, secureToken: absent };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const credential = byLength.get(name.length);
    if (credential === undefined || name.toLowerCase() !== headerNames[credential]) continue;
    const value = rawHeaders[index + 1] as string;
    const before = presented[credential];
    presented[credential] = before === absent ? { value, conflict: false } : another(before, value);
  }
  return presented;
}

/** The names differ in length, so most headers need no lower-casing. */
const byLength: ReadonlyMap<number, keyof PresentedCredentials> = new Map(
  (["appKey", "sessionId", "authorization", "secureToken"] as const).map((each) => [headerNames[each].length, each]),
);

/** Also reads the app key from the query string. A blank query value is ignored. */
export function withKeyInQuery(presented: PresentedCredentials, queryString: string): PresentedCredentials {
  const values = valuesIn(queryString, headerNames.appKey).filter((value) => value.trim() !== "");
  const appKey = values.reduce(another, values.length > 0 && isAbsent(presented.appKey) ? absent : presented.appKey);
  return { ...presented, appKey };
}

function another(sofar: CredentialHeader, value: string): CredentialHeader {
  if (sofar.value === null) return { value, conflict: false };
  return sofar.value === value ? sofar : { value, conflict: true };
}

/** Value of a cookie; `null` if it is absent or has conflicting values. */
export function cookieValue(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return new Set(values).size === 1 ? (values[0] as string) : null;
}

/**
 * `Set-Cookie` value. Scripts cannot read the cookie. Cross-site requests send it only over TLS, as browsers require.
 */
export function cookieHeader({ name, value, path, secure, maxAge }: BrowserCookie): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; ${secure ? "SameSite=None; Secure" : "SameSite=Lax"}`;
}
