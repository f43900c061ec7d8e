import {
  acceptStorable,
  type CustomAccount,
  type CustomAccountRepository,
  type Digest,
  type ForCustomProof,
  isStorableText,
  isUuid,
  type ListedCustomAccount,
  type NewCustomAccount,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type PendingPassword,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

interface CustomAccountRow {
  readonly id: string;
  readonly login_name: string;
  readonly user_id: string;
  readonly email: string | null;
  readonly secret: string;
  readonly secret_version: number;
  readonly disabled: boolean;
}

type ProofRow = CustomAccountRow & { readonly part: "known" | "next" | "first" };

type ListedRow = Omit<CustomAccountRow, "secret" | "secret_version">;

const nothingPending = { pending_secret: null, pending_code: null, pending_tries: null, pending_until: null };

export class KnexCustomAccountRepository implements CustomAccountRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: CustomAccountStatements,
    private readonly offset: () => number,
  ) {}

  async forProof(loginName: string): Promise<ForCustomProof> {
    // A name that cannot be stored is looked up all the same: as one that nobody has.
    const asked = isStorableText(loginName) ? loginName : "";
    const { rows } = await this.sql.run<ProofRow>(this.statements.forProof, [asked]);
    const known = asked === loginName ? rows.find(({ part }) => part === "known") : undefined;
    const decoy = rows.find(({ part }) => part === "next") ?? rows.find(({ part }) => part === "first");
    return { account: known === undefined ? null : accountOf(known), decoy: decoy?.secret ?? null };
  }

  async find(id: string): Promise<CustomAccount | null> {
    if (!isUuid(id)) return null;
    const query = this.sql.table("custom_accounts").where({ id });
    const { rows } = await this.sql.build<CustomAccountRow>(
      query.select("id", "login_name", "user_id", "email", "secret", "secret_version", "disabled"),
    );
    return rows[0] === undefined ? null : accountOf(rows[0]);
  }

  async create(
    { id, loginName, userId, email, secret }: NewCustomAccount,
    confusableKey: string,
  ): Promise<"created" | "nameTaken"> {
    acceptStorable([loginName, email, secret, confusableKey]);
    const { rowCount } = await this.sql.run(this.statements.create, [
      id,
      loginName,
      confusableKey,
      objectNumber(userId),
      email,
      secret,
    ]);
    return rowCount === 1 ? "created" : "nameTaken";
  }

  async setSecret(id: string, secret: string, expectedVersion: number): Promise<"stored" | "stale"> {
    const isSet = await this.change(
      { id, secret_version: expectedVersion },
      { secret, secret_version: expectedVersion + 1, ...nothingPending },
    );
    return isSet ? "stored" : "stale";
  }

  async rehash(id: string, secret: string, newSecret: string): Promise<"stored" | "stale"> {
    return (await this.change({ id, secret }, { secret: newSecret })) ? "stored" : "stale";
  }

  async request(
    id: string,
    { secret, code, lifetime, tries }: PendingPassword,
    expectedVersion: number,
  ): Promise<"kept" | "stale"> {
    if (!isUuid(id)) return "stale";
    const values = [id, expectedVersion, secret, Buffer.from(code, "hex"), tries, this.offset() + lifetime];
    const { rowCount } = await this.sql.run(this.statements.request, values);
    return rowCount === 1 ? "kept" : "stale";
  }

  async confirm(id: string, code: Digest): Promise<number | null> {
    if (!isUuid(id)) return null;
    return this.sql.atomically(async (sql) => {
      const { rows } = await sql.run<PendingRow>(this.statements.pending, [id, this.offset()]);
      const [pending] = rows;
      if (pending === undefined || !pending.due) return null;
      const account = sql.table("custom_accounts").where({ id });
      if (!pending.pending_code.equals(Buffer.from(code, "hex"))) {
        await sql.build(account.update({ pending_tries: pending.pending_tries - 1 }));
        return null;
      }
      const version = pending.secret_version + 1;
      await sql.build(account.update({ secret: pending.pending_secret, secret_version: version, ...nothingPending }));
      return version;
    });
  }

  async setEmail(id: string, email: string | null): Promise<boolean> {
    acceptStorable(email);
    return this.change({ id }, { email });
  }

  async setUser(id: string, userId: ObjectId): Promise<boolean> {
    if (!isUuid(id)) return false;
    const { rowCount } = await this.sql.run(this.statements.setUser, [id, objectNumber(userId)]);
    return rowCount === 1;
  }

  setDisabled(id: string, disabled: boolean): Promise<boolean> {
    return this.change({ id }, { disabled });
  }

  async remove(id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const { rowCount } = await this.sql.build(this.sql.table("custom_accounts").where({ id }).delete());
    return rowCount === 1;
  }

  async list(after: string | null, limit: number): Promise<ListedCustomAccount[]> {
    const query = this.sql
      .table("custom_accounts")
      .select("id", "login_name", "user_id", "email", "disabled")
      .orderBy("login_name")
      .limit(limit);
    const { rows } = await this.sql.build<ListedRow>(after === null ? query : query.where("login_name", ">", after));
    return rows.map(({ id, login_name, user_id, email, disabled }) => {
      return { id, loginName: login_name, userId: objectIdOf(Number(user_id)), email, disabled };
    });
  }

  private async change(
    account: { readonly id: string } & Readonly<Record<string, unknown>>,
    change: object,
  ): Promise<boolean> {
    if (!isUuid(account.id)) return false;
    const { rowCount } = await this.sql.build(this.sql.table("custom_accounts").where(account).update(change));
    return rowCount === 1;
  }
}

function accountOf(row: CustomAccountRow): CustomAccount {
  return {
    id: row.id,
    loginName: row.login_name,
    userId: objectIdOf(Number(row.user_id)),
    email: row.email,
    secret: row.secret,
    secretVersion: row.secret_version,
    disabled: row.disabled,
  };
}

export interface CustomAccountStatements {
  /** 1 login name. The account (`known`), the next one by name (`next`) and the first one (`first`), as far as they exist. */
  readonly forProof: Statement;
  /** 1 id, 2 login name, 3 confusable key, 4 user, 5 e-mail address or null, 6 secret. Adds a row, unless one of the first three is known. */
  readonly create: Statement;
  /** 1 id, 2 user. Raises the version. */
  readonly setUser: Statement;
  /** 1 id, 2 expected version, 3 secret, 4 digest of the code, 5 tries, 6 offset of the clock with the lifetime. */
  readonly request: Statement;
  /**
   * 1 id, 2 offset of the clock. What waits to be confirmed, and whether it can be: `due`. Until the transaction ends, nobody else changes
   * the account.
   */
  readonly pending: Statement;
}

interface PendingRow {
  readonly secret_version: number;
  readonly pending_secret: string;
  readonly pending_code: Buffer;
  readonly pending_tries: number;
  readonly due: boolean;
}
