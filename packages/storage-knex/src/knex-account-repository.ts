import {
  acceptStorable,
  type Account,
  type AccountRepository,
  type ForProof,
  type FoundAccount,
  type FoundIdentity,
  type IdentityLink,
  isObjectId,
  isStorableText,
  type ListedAccount,
  type NewAccount,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type StoredObject,
} from "@sallyport/core";
import { objectNumbers } from "./object-row.ts";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

interface AccountRow {
  readonly user_id: string;
  readonly login_name: string;
  readonly secret: string;
  readonly secret_version: number;
  readonly administrator: boolean;
  readonly disabled: boolean;
  readonly email: string | null;
}

/** The link in a row that may have an account beside it. */
interface LinkRow {
  readonly link_id: string;
  readonly link_born: string | number;
  readonly link_value: IdentityLink;
}

type ListedRow = Omit<AccountRow, "secret" | "secret_version">;

/** An account, and where it is the known one its user object; or an object that the user object points to. */
type ProofRow<ObjectRow> = AccountRow & ObjectRow & { readonly part: "known" | "next" | "first" | "linked" };

/** Of user objects it knows what makes one of a row. */
export class KnexAccountRepository<ObjectRow extends { readonly oid: unknown; readonly attributes: unknown }>
  implements AccountRepository
{
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: AccountStatements,
    private readonly objectOf: (row: ObjectRow) => StoredObject,
    private readonly offset: () => number,
  ) {}

  async forProof(loginName: string, links: readonly string[]): Promise<ForProof> {
    // A name that cannot be stored is looked up all the same: as one that nobody has.
    const asked = isStorableText(loginName) ? loginName : "";
    const { rows } = await this.sql.run<ProofRow<ObjectRow>>(this.statements.forProof, [asked, links]);
    const decoy = rows.find(({ part }) => part === "next") ?? rows.find(({ part }) => part === "first");
    return { ...this.found(asked === loginName ? rows : []), decoy: decoy?.secret ?? null };
  }

  async byUser(userId: ObjectId, links: readonly string[]): Promise<FoundAccount> {
    if (!isObjectId(userId)) return this.found([]);
    const { rows } = await this.sql.run<ProofRow<ObjectRow>>(this.statements.byUser, [objectNumber(userId), links]);
    return this.found(rows);
  }

  async byIdentity(linkId: string, links: readonly string[]): Promise<FoundIdentity> {
    const { rows } = isStorableText(linkId)
      ? await this.sql.run<ProofRow<ObjectRow> & LinkRow>(this.statements.byIdentity, [linkId, links, this.offset()])
      : { rows: [] };
    const bound = rows.find(({ part }) => part === "known");
    if (bound === undefined) return { link: null, ...this.found([]) };
    const link = { id: bound.link_id, born: Number(bound.link_born), value: bound.link_value };
    return { link, ...this.found(bound.user_id === null ? [] : rows) };
  }

  async create(
    { userId, loginName, secret, administrator, email = null }: NewAccount,
    confusableKey: string,
  ): Promise<"created" | "nameTaken"> {
    acceptStorable([loginName, secret, confusableKey, email]);
    const values = [objectNumber(userId), loginName, confusableKey, secret, administrator, email];
    const { rowCount } = await this.sql.run(this.statements.create, values);
    return rowCount === 1 ? "created" : "nameTaken";
  }

  async setSecret(userId: ObjectId, secret: string, expectedVersion: number): Promise<"stored" | "stale"> {
    const { rowCount } = await this.sql.build(
      this.sql
        .table("accounts")
        .where({ user_id: objectNumber(userId), secret_version: expectedVersion })
        .update({ secret, secret_version: expectedVersion + 1 }),
    );
    return rowCount === 1 ? "stored" : "stale";
  }

  async rehash(userId: ObjectId, secret: string, newSecret: string): Promise<"stored" | "stale"> {
    const { rowCount } = await this.sql.build(
      this.sql
        .table("accounts")
        .where({ user_id: objectNumber(userId), secret })
        .update({ secret: newSecret }),
    );
    return rowCount === 1 ? "stored" : "stale";
  }

  async rename(userId: ObjectId, loginName: string, confusableKey: string): Promise<boolean> {
    acceptStorable([loginName, confusableKey]);
    if (!isObjectId(userId)) return false;
    const { rowCount } = await this.sql.build(
      this.sql
        .table("accounts")
        .where("user_id", objectNumber(userId))
        .update({ login_name: loginName, confusable_key: confusableKey }),
    );
    return rowCount === 1;
  }

  async setEmail(userId: ObjectId, email: string | null): Promise<boolean> {
    acceptStorable(email);
    if (!isObjectId(userId)) return false;
    const { rowCount } = await this.sql.build(
      this.sql.table("accounts").where("user_id", objectNumber(userId)).update({ email }),
    );
    return rowCount === 1;
  }

  async setDisabled(userId: ObjectId, disabled: boolean): Promise<boolean> {
    const { rowCount } = await this.sql.build(
      this.sql.table("accounts").where("user_id", objectNumber(userId)).update({ disabled }),
    );
    return rowCount === 1;
  }

  async remove(userIds: readonly ObjectId[]): Promise<"removed" | "lastAdministrator"> {
    const { rows } = await this.sql.run<{ removed: boolean }>(this.statements.remove, [
      objectNumbers(userIds),
      userIds.filter(isObjectId).map((id) => `user:${id}`),
    ]);
    return rows[0]?.removed === true ? "removed" : "lastAdministrator";
  }

  async list(after: string | null, limit: number): Promise<ListedAccount[]> {
    const query = this.sql
      .table("accounts")
      .select("user_id", "login_name", "administrator", "disabled", "email")
      .orderBy("login_name")
      .limit(limit);
    const { rows } = await this.sql.build<ListedRow>(after === null ? query : query.where("login_name", ">", after));
    return rows.map(({ user_id, login_name, administrator, disabled, email }) => {
      return { userId: objectIdOf(Number(user_id)), loginName: login_name, administrator, disabled, email };
    });
  }

  private found(rows: readonly ProofRow<ObjectRow>[]): FoundAccount {
    const known = rows.find(({ part }) => part === "known");
    return {
      account: known === undefined ? null : accountOf(known),
      user: known === undefined || known.oid === null ? null : this.objectOf(known),
      linked:
        known === undefined
          ? []
          : rows
              .filter(({ part, attributes }) => part === "linked" && attributes !== null)
              .map((row) => this.objectOf(row)),
    };
  }
}

function accountOf(row: AccountRow): Account {
  return {
    userId: objectIdOf(Number(row.user_id)),
    loginName: row.login_name,
    secret: row.secret,
    secretVersion: row.secret_version,
    administrator: row.administrator,
    disabled: row.disabled,
    email: row.email,
  };
}

export interface AccountStatements {
  /**
   * 1 login name, 2 links. The account (`known`) with its user object, the next one by name (`next`) and the first one
   * (`first`), as far as they exist; and the objects that the links of the user object point to (`linked`).
   */
  readonly forProof: Statement;
  /** 1 user, 2 links. The account (`known`) and what its user object points to (`linked`), as above. */
  readonly byUser: Statement;
  /** 1 id of a record of the kind `identityLink`, 2 links, 3 offset of the clock. The same of the user whom it names; the link stands in the row of the account, which is there without one. */
  readonly byIdentity: Statement;
  /** 1 user, 2 login name, 3 confusable key, 4 secret, 5 administrator, 6 address for mail or null. Adds a row, unless one of the first three is known. */
  readonly create: Statement;
  /** 1 numbers of users, 2 how what belongs to them names them. Returns whether their accounts were removed. */
  readonly remove: Statement;
}
