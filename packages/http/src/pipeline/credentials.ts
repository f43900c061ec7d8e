import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import type { BrowserCookie } from "@sallyport/core";
import { valuesIn } from "../routing/query-string.ts";

export interface PresentedCredentials {
  readonly appKey: Presented;
  readonly sessionId: Presented;
  readonly authorization: Presented;
  readonly secureToken: Presented;
}

/** `value` is `null` when the header is absent; `conflict` when it came twice with different values. */
export interface Presented {
  readonly value: string | null;
  readonly conflict: boolean;
}

/** Not sent, or without a value; two different values are something. */
export function isAbsent({ value, conflict }: Presented): boolean {
  return value === null || (value.trim() === "" && !conflict);
}

/** How a credential that is good for nothing is refused: 201 for a session id alone, 203 as soon as a token is among them. */
export function overCode({ authorization, secureToken }: PresentedCredentials): 201 | 203 {
  return isAbsent(authorization) && isAbsent(secureToken) ? 201 : 203;
}

const absent: Presented = { value: null, conflict: false };

/** Reads the credential headers from the raw list: Node joins or drops repeated ones before anybody could notice. */
export function presentedCredentials({ rawHeaders }: IncomingMessage): PresentedCredentials {
  const presented = { appKey: absent, sessionId: absent, authorization: absent, secureToken: absent };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const credential = byLength.get(name.length);
    if (credential === undefined || name.toLowerCase() !== headerNames[credential]) continue;
    presented[credential] = another(presented[credential], rawHeaders[index + 1] as string);
  }
  return presented;
}

/** The names differ in length, which spares most headers the lower-casing. */
const byLength: ReadonlyMap<number, keyof PresentedCredentials> = new Map(
  (["appKey", "sessionId", "authorization", "secureToken"] as const).map((each) => [headerNames[each].length, each]),
);

/** The same where the app key may stand in the query, too: there it is what it is as a header, but for a blank one, which is none. */
export function withKeyInQuery(presented: PresentedCredentials, queryString: string): PresentedCredentials {
  const given = valuesIn(queryString, headerNames.appKey).filter((value) => value.trim() !== "");
  const appKey = given.reduce(another, given.length > 0 && isAbsent(presented.appKey) ? absent : presented.appKey);
  return { ...presented, appKey };
}

function another(sofar: Presented, value: string): Presented {
  if (sofar.value === null) return { value, conflict: false };
  return sofar.value === value ? sofar : { value, conflict: true };
}

/** The value of a cookie in the header of a request; `null` if there is none of the name, or two that differ. */
export function cookieValue(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return new Set(values).size === 1 ? (values[0] as string) : null;
}

/**
 * `Set-Cookie`. No script reads it. What a page of another site sends brings it along only over TLS, as browsers want it.
 */
export function cookieHeader({ name, value, path, secure, maxAge }: BrowserCookie): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; ${secure ? "SameSite=None; Secure" : "SameSite=Lax"}`;
}
