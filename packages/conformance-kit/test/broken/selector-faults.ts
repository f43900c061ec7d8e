import type {
  AccountId,
  AccountRepository,
  FoundAccount,
  ObjectId,
  ObjectRepository,
  Realm,
  Repositories,
  StoredObject,
  Visibility,
} from "@sallyport/storage";

/** A `find` with a fault in the lookup by names of a realm. */
export function findingNames(
  { accounts }: Repositories,
  realm: Realm,
  fault: (loginName: string, links: readonly string[]) => Promise<FoundAccount>,
): AccountRepository["find"] {
  return (selector, links) =>
    "realm" in selector && selector.realm === realm ? fault(selector.loginName, links) : accounts.find(selector, links);
}

/** A `find` with a fault in the lookup by ID. */
export function findingIds(
  { accounts }: Repositories,
  fault: (id: AccountId, links: readonly string[]) => Promise<FoundAccount>,
): AccountRepository["find"] {
  return (selector, links) => ("id" in selector ? fault(selector.id, links) : accounts.find(selector, links));
}

/** A `get` with a fault in the lookup by IDs. */
export function gettingByIds(
  { objects }: Repositories,
  fault: (ids: readonly ObjectId[], visibility: Visibility) => Promise<StoredObject[]>,
): ObjectRepository["get"] {
  return (which, visibility, bytes) =>
    "uuids" in which ? objects.get(which, visibility, bytes) : fault(which, visibility);
}

/** A `get` with a fault in the lookup by at least this many UUIDs; 1: by exactly one. */
export function gettingByUuids(
  { objects }: Repositories,
  atLeast: 1 | 2,
  fault: (uuids: readonly string[], visibility: Visibility) => Promise<StoredObject[]>,
): ObjectRepository["get"] {
  return (which, visibility, bytes) =>
    "uuids" in which && (atLeast === 1 ? which.uuids.length === 1 : which.uuids.length > 1)
      ? fault(which.uuids, visibility)
      : objects.get(which, visibility, bytes);
}

/** Returns objects by UUIDs regardless of their readers. */
export function blind({ objects }: Repositories) {
  return (uuids: readonly string[], visibility: Visibility) =>
    objects.get({ uuids }, { ...visibility, principals: null });
}
