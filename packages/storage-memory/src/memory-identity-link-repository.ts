import {
  acceptStorable,
  type IdentityLink,
  type IdentityLinkRepository,
  type NewIdentityLink,
  type ObjectId,
  type ProviderIdentity,
  type ProviderType,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy, partByName } from "./table.ts";
import type { State } from "./state.ts";

export class MemoryIdentityLinkRepository implements IdentityLinkRepository {
  constructor(private readonly access: Access) {}

  find(identity: ProviderIdentity): Promise<IdentityLink | null> {
    return this.access.read((state) => linkOf(state, identity));
  }

  async create(link: NewIdentityLink): Promise<"created" | "taken"> {
    acceptStorable(link);
    const kept = frozenCopy(link);
    return this.access.write(({ identityLinks }, now) => {
      if ([...identityLinks.values()].some((each) => isOf(each, kept))) return "taken";
      identityLinks.set(kept.id, Object.freeze({ ...kept, linkedAt: now }));
      return "created";
    });
  }

  ofUser(userId: ObjectId): Promise<IdentityLink[]> {
    return this.access.read(({ identityLinks }) => {
      const links = [...identityLinks.values()].filter((link) => link.userId === userId);
      return partByName(links, ({ id }) => id, null, links.length).toSorted((one, other) => {
        return (
          Number(one.provider > other.provider) - Number(one.provider < other.provider) || one.linkedAt - other.linkedAt
        );
      });
    });
  }

  remove(
    selector: { readonly id: string } | { readonly userId: ObjectId; readonly provider: ProviderType },
  ): Promise<string[]> {
    return this.access.write(({ identityLinks }) => {
      const removed = [...identityLinks.values()].filter((link) => {
        return "id" in selector
          ? link.id === selector.id
          : link.userId === selector.userId && link.provider === selector.provider;
      });
      for (const { id } of removed) identityLinks.delete(id);
      return removed.map(({ id }) => id);
    });
  }

  list(after: string | null, limit: number): Promise<IdentityLink[]> {
    return this.access.read(({ identityLinks }) => partByName(identityLinks.values(), ({ id }) => id, after, limit));
  }
}

/** The link of an identity; `null` if it is bound to nobody. */
export function linkOf({ identityLinks }: State, identity: ProviderIdentity): IdentityLink | null {
  return [...identityLinks.values()].find((link) => isOf(link, identity)) ?? null;
}

function isOf(link: ProviderIdentity, { issuer, subject }: ProviderIdentity): boolean {
  return link.issuer === issuer && link.subject === subject;
}
