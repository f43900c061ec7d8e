import {
  acceptStorable,
  type IdentityLink,
  type IdentityLinkRepository,
  isObjectId,
  isStorableText,
  isUuid,
  type NewIdentityLink,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type ProviderIdentity,
  type ProviderType,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexIdentityLinkRepository implements IdentityLinkRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: IdentityLinkStatements,
    private readonly offset: () => number,
  ) {}

  async find({ issuer, subject }: ProviderIdentity): Promise<IdentityLink | null> {
    if (!isStorableText(issuer) || !isStorableText(subject)) return null;
    const { rows } = await this.sql.run<IdentityLinkRow>(this.statements.find, [issuer, subject]);
    return rows[0] === undefined ? null : linkOf(rows[0]);
  }

  async create({
    id,
    provider,
    issuer,
    subject,
    userId,
    shared,
    email,
    displayName,
  }: NewIdentityLink): Promise<"created" | "taken"> {
    acceptStorable([issuer, subject, email, displayName]);
    const values = [id, provider, issuer, subject, objectNumber(userId), shared, email, displayName, this.offset()];
    const { rowCount } = await this.sql.run(this.statements.create, values);
    return rowCount === 1 ? "created" : "taken";
  }

  async ofUser(userId: ObjectId): Promise<IdentityLink[]> {
    if (!isObjectId(userId)) return [];
    const { rows } = await this.sql.run<IdentityLinkRow>(this.statements.ofUser, [objectNumber(userId)]);
    return rows.map(linkOf);
  }

  async remove(
    selector: { readonly id: string } | { readonly userId: ObjectId; readonly provider: ProviderType },
  ): Promise<string[]> {
    if ("id" in selector ? !isUuid(selector.id) : !isObjectId(selector.userId)) return [];
    const { rows } =
      "id" in selector
        ? await this.sql.run<{ id: string }>(this.statements.removeOne, [selector.id])
        : await this.sql.run<{ id: string }>(this.statements.removeOfUser, [
            objectNumber(selector.userId),
            selector.provider,
          ]);
    return rows.map(({ id }) => id);
  }

  async list(after: string | null, limit: number): Promise<IdentityLink[]> {
    const { rows } = await this.sql.run<IdentityLinkRow>(this.statements.list, [after, limit]);
    return rows.map(linkOf);
  }
}

export function linkOf({
  id,
  provider,
  issuer,
  subject,
  user_id,
  shared,
  email,
  display_name,
  linked,
}: IdentityLinkRow): IdentityLink {
  return {
    id,
    provider,
    issuer,
    subject,
    userId: objectIdOf(Number(user_id)),
    shared,
    email,
    displayName: display_name,
    linkedAt: Number(linked),
  };
}

export interface IdentityLinkStatements {
  /** 1 issuer, 2 subject. */
  readonly find: Statement;
  /**
   * 1 id, 2 provider, 3 issuer, 4 subject, 5 user, 6 whether it is shared, 7 address or null, 8 name to display or null, 9 offset of
   * the clock. Adds a row, unless the identity is bound.
   */
  readonly create: Statement;
  /** 1 user. By provider and time. */
  readonly ofUser: Statement;
  /** 1 id. Ids of those that were there. */
  readonly removeOne: Statement;
  /** 1 user, 2 provider. The same. */
  readonly removeOfUser: Statement;
  /** 1 id to begin after or null, 2 limit. By id. */
  readonly list: Statement;
}

export interface IdentityLinkRow {
  readonly id: string;
  readonly provider: ProviderType;
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  readonly shared: boolean;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly linked: string;
}
