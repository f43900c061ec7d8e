import type { ObjectId } from "../objects/object-id.ts";
import type { IdentityLink, NewIdentityLink, ProviderIdentity, ProviderType } from "./identity-link.ts";

/** Port: which accounts of providers are bound to which database users. An identity has one link at most, whatever races there are. */
export interface IdentityLinkRepository {
  find(identity: ProviderIdentity): Promise<IdentityLink | null>;

  /** `taken` when the identity is bound already; nothing changes then. A text that is not storable: 307. */
  create(link: NewIdentityLink): Promise<"created" | "taken">;

  /** The links of a user, by provider and then by the time of linking. */
  ofUser(userId: ObjectId): Promise<IdentityLink[]>;

  /**
   * Removes the link with this id; the ids of those that were there. Sessions that it opened are no longer admitted.
   */
  remove(
    selector: { readonly id: string } | { readonly userId: ObjectId; readonly provider: ProviderType },
  ): Promise<string[]>;

  /** At most `limit` in the order of their ids: from the first (`null`), or those after an id. */
  list(after: string | null, limit: number): Promise<IdentityLink[]>;
}
