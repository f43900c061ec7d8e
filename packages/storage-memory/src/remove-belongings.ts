import type { ObjectId } from "@sallyport/core";
import type { State } from "./state.ts";

/** Removes what belongs to users: their links and custom accounts, and what names these or the users as its subject. */
export function removeBelongings(state: State, userIds: readonly ObjectId[]): void {
  const { customAccounts, identityLinks, oneTimeSecrets, passwordHistory, secondFactors } = state;
  const links = [...identityLinks.values()].filter(({ userId }) => userIds.includes(userId));
  const customs = [...customAccounts.values()].filter(({ userId }) => userIds.includes(userId));
  for (const { id } of links) identityLinks.delete(id);
  for (const { id } of customs) customAccounts.delete(id);
  const owners = new Set<string | null>([
    ...userIds.map((id) => `user:${id}`),
    ...links.map(({ id }) => `link:${id}`),
    ...customs.map(({ id }) => `custom:${id}`),
  ]);
  for (const [key, { subject }] of secondFactors.entries()) if (owners.has(subject)) secondFactors.delete(key);
  for (const [key, { subject }] of oneTimeSecrets.entries()) if (owners.has(subject)) oneTimeSecrets.delete(key);
  for (const [subject] of passwordHistory.entries()) if (owners.has(subject)) passwordHistory.delete(subject);
}
