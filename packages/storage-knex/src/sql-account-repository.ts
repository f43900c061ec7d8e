import {
  acceptStorable,
  type Account,
  type AccountId,
  type AccountRepository,
  type FoundAccount,
  type IdentityLink,
  isObjectId,
  isStorableText,
  isUuid,
  type ListedAccount,
  objectIdOf,
  objectNumber,
  objectNumbers,
  type Realm,
  realmOf,
  type StoredObject,
} from "@sallyport/storage";
import type { Knex } from "knex";
import type { SqlRunner, Statement } from "./sql-runner.ts";

interface AccountRow {
  /** Custom accounts only. */
  readonly id?: string;
  readonly user_id: string;
  readonly login_name: string;
  readonly secret: string;
  readonly secret_version: number;
  /** Database users only. */
  readonly administrator?: boolean;
  readonly disabled: boolean;
  readonly email: string | null;
}

type ListedRow = Omit<AccountRow, "secret" | "secret_version">;

/** The link in a row that can also contain an account. */
interface LinkRow {
  readonly link_id: string;
  readonly link_born: string | number;
  readonly link_value: IdentityLink;
}

/** An account, with its user object if it is the known one; or an object that the user object references. */
type FoundRow<ObjectRow> = AccountRow & ObjectRow & { readonly part: "known" | "next" | "first" | "linked" };

/** The table of a realm's accounts, its key and its listed columns. */
const tables = {
  database: { name: "accounts", key: "user_id", listed: ["user_id", "administrator"] },
  custom: { name: "custom_accounts", key: "id", listed: ["id", "user_id"] },
} as const;

const nothing: FoundAccount = { account: null, user: null, linked: [], decoy: null, link: null };

/** `objectOf` converts a row to a user object. */
export function sqlAccountRepository<ObjectRow extends { readonly oid: unknown; readonly attributes: unknown }>(
  sql: SqlRunner,
  statements: AccountStatements,
  objectOf: (row: ObjectRow) => StoredObject,
  offset: () => number,
): AccountRepository {
  return {
    find(selector, links) {
      if ("id" in selector) return findById(selector.id, links);
      return "linkId" in selector ? findByLink(selector.linkId, links) : findByName(selector, links);
    },

    async create(account, confusableKey) {
      const { id, userId, loginName, secret, administrator = false, email = null } = account;
      acceptStorable([loginName, secret, confusableKey, email]);
      const values = [objectNumber(userId), loginName, confusableKey, secret];
      const { rowCount } =
        id === undefined || id === userId
          ? await sql.run(statements.create, [...values, administrator, email])
          : await sql.run(statements.createCustom, [...values, id, email]);
      return rowCount === 1 ? "created" : "nameTaken";
    },

    async change(id, { name, email, disabled, administrator, userId }) {
      acceptStorable([name?.loginName ?? null, name?.confusableKey ?? null, email ?? null]);
      if ((isUuid(id) ? administrator : userId) !== undefined) return false;
      const columns = {
        ...(administrator === undefined ? {} : { administrator }),
        ...(name === undefined ? {} : { login_name: name.loginName, confusable_key: name.confusableKey }),
        ...(email === undefined ? {} : { email }),
        ...(disabled === undefined ? {} : { disabled }),
      };
      if (userId === undefined && Object.keys(columns).length === 0) return (await findById(id, [])).account !== null;
      return update({ id }, (query) =>
        userId === undefined
          ? query.update(columns)
          : query.update({ ...columns, user_id: objectNumber(userId) }).increment("secret_version", 1),
      );
    },

    async setSecret(id, secret, expected) {
      const [current, values] =
        typeof expected === "object"
          ? [{ secret: expected.secret }, { secret }]
          : [{ secret_version: expected }, { secret, secret_version: expected + 1 }];
      return (await update({ id, ...current }, (query) => query.update(values))) ? "stored" : "stale";
    },

    async remove(ids) {
      const [users, customs] = [ids.filter(isObjectId), ids.filter(isUuid)];
      const owners = [...users.map((id) => `user:${id}`), ...customs.map((id) => `custom:${id}`)];
      const { rows } = await sql.run<{ removed: number | string | null }>(statements.remove, [
        objectNumbers(users),
        owners,
        customs,
      ]);
      const removed = rows[0]?.removed ?? null;
      return removed === null ? "lastAdministrator" : Number(removed);
    },

    async list(realm, after, limit) {
      const { name, listed } = tables[realm];
      const query = sql
        .table(name)
        .select(...listed, "login_name", "disabled", "email")
        .orderBy("login_name")
        .limit(limit);
      const { rows } = await sql.build<ListedRow>(after === null ? query : query.where("login_name", ">", after));
      return rows.map(listedAccountOf);
    },
  };

  async function findByName(
    { realm, loginName }: { readonly realm: Realm; readonly loginName: string },
    links: readonly string[],
  ): Promise<FoundAccount> {
    // A name that cannot be stored still runs the lookup, with a name that no account has.
    const name = isStorableText(loginName) ? loginName : "";
    const { rows } =
      realm === "database"
        ? await sql.run<FoundRow<ObjectRow>>(statements.byName, [name, links])
        : await sql.run<FoundRow<ObjectRow>>(statements.customByName, [name]);
    const parts = partsOf(rows);
    const decoy = parts.next ?? parts.first;
    return { ...accountFrom(name === loginName ? parts : noRows), decoy: decoy?.secret ?? null };
  }

  async function findById(id: AccountId, links: readonly string[]): Promise<FoundAccount> {
    switch (realmOf(id)) {
      case "database": {
        const { rows } = await sql.run<FoundRow<ObjectRow>>(statements.byUser, [objectNumber(id), links]);
        return accountFrom(partsOf(rows));
      }
      case "custom": {
        const { rows } = await sql.build<AccountRow>(
          sql
            .table("custom_accounts")
            .where({ id })
            .select("id", "login_name", "user_id", "email", "secret", "secret_version", "disabled"),
        );
        return rows[0] === undefined ? nothing : { ...nothing, account: accountOf(rows[0]) };
      }
      case null:
        return nothing;
    }
  }

  async function findByLink(linkId: string, links: readonly string[]): Promise<FoundAccount> {
    if (!isStorableText(linkId)) return nothing;
    const values = [linkId, links, offset()];
    const { rows } = await sql.run<FoundRow<ObjectRow> & LinkRow>(statements.byLink, values);
    const parts = partsOf(rows);
    const bound = parts.known;
    if (bound === undefined) return nothing;
    const link = { id: bound.link_id, createdVersion: Number(bound.link_born), value: bound.link_value };
    return { ...accountFrom(bound.user_id === null ? noRows : parts), link };
  }

  function accountFrom({ known, linked }: Parts<FoundRow<ObjectRow>>): FoundAccount {
    if (known === undefined) return nothing;
    const objects: StoredObject[] = [];
    for (const row of linked) objects.push(objectOf(row));
    return {
      ...nothing,
      account: accountOf(known),
      user: (known.oid ?? null) === null ? null : objectOf(known),
      linked: objects,
    };
  }

  /** Whether the account exists. */
  async function update(
    { id, ...current }: { readonly id: AccountId } & Readonly<Record<string, unknown>>,
    change: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  ): Promise<boolean> {
    const realm = realmOf(id);
    if (realm === null) return false;
    const { name, key } = tables[realm];
    const row = { [key]: realm === "database" ? objectNumber(id) : id, ...current };
    const { rowCount } = await sql.build(change(sql.table(name).where(row)));
    return rowCount === 1;
  }
}

/** Rows of a look-up by their part: the first of each, and the linked objects that exist. */
interface Parts<Row> extends Partial<Record<"known" | "next" | "first", Row>> {
  readonly linked: Row[];
}

const noRows = { linked: [] };

function partsOf<Row extends Pick<FoundRow<{ readonly attributes: unknown }>, "part" | "attributes">>(
  rows: readonly Row[],
): Parts<Row> {
  const parts: Parts<Row> = { linked: [] };
  for (const row of rows)
    if (row.part !== "linked") parts[row.part] ??= row;
    else if (row.attributes !== null) parts.linked.push(row);
  return parts;
}

function accountOf(row: AccountRow): Account {
  return { ...listedAccountOf(row), secret: row.secret, secretVersion: row.secret_version };
}

function listedAccountOf({ id, user_id, login_name, administrator, disabled, email }: ListedRow): ListedAccount {
  const userId = objectIdOf(Number(user_id));
  return { id: id ?? userId, userId, loginName: login_name, administrator: administrator ?? false, disabled, email };
}

export interface AccountStatements {
  /**
   * 1 login name, 2 links. Returns the account (`known`) with its user object, the next one by name (`next`), the first
   * one (`first`), and the objects that the links of the user object reference (`linked`), as far as they exist.
   */
  readonly byName: Statement;
  /** 1 login name of a custom account. Like `byName`, without objects. */
  readonly customByName: Statement;
  /** 1 user, 2 links. Returns the account (`known`) and the objects that its user object references (`linked`). */
  readonly byUser: Statement;
  /** 1 id of an `identityLink` record, 2 links, 3 clock offset. Like `byUser`, for the user of the link. The account row contains the link and exists without an account, too. */
  readonly byLink: Statement;
  /** 1 user, 2 login name, 3 confusable key, 4 secret, 5 administrator, 6 e-mail address or null. Adds a row unless one of the first three exists. */
  readonly create: Statement;
  /** 1 user, 2 login name, 3 confusable key, 4 secret, 5 id, 6 e-mail address or null. Adds a row unless the name, key or id exists. */
  readonly createCustom: Statement;
  /** 1 user numbers, 2 their owner names, 3 custom account ids. Returns the number of users `removed`; null if no administrator would be left. */
  readonly remove: Statement;
}
