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
import type { IdentityLinkRow, IdentityLinkStatements } from "./statements/identity-link-statements.ts";

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
