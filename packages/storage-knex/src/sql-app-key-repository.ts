import { randomBytes } from "node:crypto";
import { acceptStorable, type AppKey, type AppKeyRepository, isStorableText } from "@sallyport/storage";
import { archivedColumns, membersOf } from "./archived-records.ts";
import type { SqlRunner, Statement } from "./sql-runner.ts";

/** The columns of an `AppKey`. */
const columns = archivedColumns("appKeys").filter(({ member }) => member !== "digest");

export const sqlAppKeyRepository = (sql: SqlRunner, statements: AppKeyStatements): AppKeyRepository => ({
  async create({ name, appNames, origins, returnAddresses = [] }, digest) {
    acceptStorable([name, appNames, origins, returnAddresses]);
    const id = randomBytes(9).toString("base64url");
    const names = appNames === null ? null : JSON.stringify(appNames);
    const values = [
      id,
      name,
      Buffer.from(digest, "hex"),
      names,
      JSON.stringify(origins),
      JSON.stringify(returnAddresses),
    ];
    const { rowCount } = await sql.run(statements.create, values);
    return rowCount === 1 ? "created" : "nameTaken";
  },

  async setEnabled(name, enabled) {
    if (!isStorableText(name)) return false;
    const { rowCount } = await sql.build(sql.table("app_keys").where("name", name).update({ enabled }));
    return rowCount === 1;
  },

  async remove(name) {
    if (!isStorableText(name)) return false;
    const { rowCount } = await sql.build(sql.table("app_keys").where("name", name).delete());
    return rowCount === 1;
  },

  async listsOrigin(origin) {
    if (!isStorableText(origin)) return false;
    return (await sql.run(statements.listsOrigin, [origin])).rowCount > 0;
  },

  async list(after, limit) {
    const query = sql
      .table("app_keys")
      .select(...columns.map(({ column }) => column))
      .orderBy("name")
      .limit(limit);
    const { rows } = await sql.build<Readonly<Record<string, unknown>>>(
      after === null ? query : query.where("name", ">", after),
    );
    return rows.map((row) => membersOf(columns, row) as unknown as AppKey);
  },
});

export interface AppKeyStatements {
  /** 1 id, 2 name, 3 digest, 4 app names or null, 5 origins, 6 return addresses. Adds a row unless one of the first three exists. */
  readonly create: Statement;
  /** 1 origin. Returns a row if an enabled app key lists it. */
  readonly listsOrigin: Statement;
}
