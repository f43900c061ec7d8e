import { confusableKeyOf, loginNameOf, type ObjectId, type ProviderIdentity, ServiceError } from "@sallyport/storage";
import type { SessionContext } from "../../request/index.ts";

/** Returns the throttle key of a database user. Keys of other methods contain U+0000, which is replaced here to prevent collisions. */
export function databaseUserKey(loginName: string): string {
  return loginNameOf(loginName).replaceAll("\0", "\uFFFD");
}

/** Returns the throttle key of a custom user. Confusable spellings share a key, as a hook may accept several of them. */
export function customUserKey(loginName: string): string {
  return `custom\0${confusableKeyOf(loginNameOf(loginName))}`;
}

/** Returns the throttle key of an identity at a provider. */
export function providerUserKey({ issuer, subject }: ProviderIdentity): string {
  return ["provider", issuer, subject].join("\0");
}

/** Returns the throttle key of those who present a ticket of a console. Strangers elsewhere cannot lock out those who have one. */
export function consoleTicketKey(network: string): string {
  return `console\0${network}`;
}

/** Returns the throttle key of sessions of a console. A success must not reset the failures of the user's password. */
export function consoleSessionKey(userId: ObjectId): string {
  return `console\0${userId}`;
}

/** Returns the throttle key of the log-in that opened the session. The account no longer exists: 201 or 203. */
export async function sessionUserKey({ r, session, sessionEndedCode }: SessionContext): Promise<string> {
  const { authenticationMethod, userId } = session;
  if (authenticationMethod.kind === "provider") return providerUserKey(authenticationMethod.link.value);
  const isCustom = authenticationMethod.kind === "custom";
  const { account } = await r.accounts.find({ id: isCustom ? authenticationMethod.accountId : userId }, []);
  if (account === null) throw new ServiceError(sessionEndedCode);
  return isCustom ? customUserKey(account.loginName) : databaseUserKey(account.loginName);
}
