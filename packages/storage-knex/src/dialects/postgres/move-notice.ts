import { ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Run, runOn, withConnection } from "./connection.ts";
import type { Tables } from "./tables.ts";

/** Where a database is after a move, as its former place tells. */
export interface MoveNotice {
  /** The new place without secrets, for operators: `postgres://app@db2:5432/main`. */
  readonly place: string;
  /** The connection string for servers, sealed under their master key. */
  readonly sealedUrl: string;
}

/** The cause of the refusal of calls to a former place. */
export class DatabaseMoved extends Error {
  override readonly name = "DatabaseMoved";
  /** For diagnostics, beside the codes of the database server. */
  readonly code = "MOVED";

  constructor(readonly place: string) {
    super("The database was moved.");
  }
}

/** The name of the table of the notice, the only one in the schema of a former place. */
export function noticeTable({ schema }: Pick<Tables, "schema">): string {
  return `"${schema}"."moved"`;
}

/** The refusal of a call at the former place of a database. */
export function movedAway(cause?: DatabaseMoved): ServiceError {
  return new ServiceError(706, { cause, detail: "The database was moved to another server.", retryAfter: 1 });
}

/** Whether a place is a former one. */
export async function hasNotice(run: Run, tables: Tables): Promise<boolean> {
  const query = { text: "select to_regclass($1) is not null as moved", values: [noticeTable(tables)] };
  return (await run<{ moved: boolean }>(query)).rows[0]?.moved === true;
}

/** Takes the tables away from a place, into the schema `oldSchema`, and leaves a notice where they were. */
export async function leaveNotice(
  run: Run,
  tables: Tables,
  { owner, oldSchema, place, sealedUrl }: MoveNotice & { readonly owner: string; readonly oldSchema: string },
): Promise<void> {
  const { schema } = tables;
  const table = noticeTable(tables);
  await run({ text: `alter schema "${schema}" rename to "${oldSchema}"` });
  await run({ text: `create schema "${schema}" authorization ${owner}` });
  await run({ text: `create table ${table} (place text not null, sealed_url text not null)` });
  await run({ text: `alter table ${table} owner to ${owner}` });
  await run({ text: `insert into ${table} values ($1, $2)`, values: [place, sealedUrl] });
  // Servers can have a role with rights to single tables. The connection string is encrypted.
  await run({ text: `grant usage on schema "${schema}" to public` });
  await run({ text: `grant select on ${table} to public` });
}

/** A missing schema, table or function. */
const missing: ReadonlySet<unknown> = new Set(["3F000", "42P01", "42883"]);

/** Milliseconds between two reports of the same notice. */
const reportInterval = 1_000;

/**
 * Recognizes that a database was moved. The move takes all tables and functions away, so that every call fails. A call
 * that fails for this reason is refused with 706, and the owner of the storage is told where the database is.
 */
export class FormerPlace {
  private reportedAt = -Infinity;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly report: (notice: MoveNotice) => void = () => {},
  ) {}

  /** Throws 706 if the database was moved. */
  async refuse(): Promise<void> {
    const notice = await this.read();
    if (notice !== null) throw this.refusal(notice);
  }

  /** The failure of a call, or the refusal if the call failed because of a move. */
  async explained(failure: unknown): Promise<unknown> {
    const state = failure instanceof ServiceError ? (failure.cause as { code?: unknown } | undefined)?.code : undefined;
    if (!missing.has(state)) return failure;
    const notice = await this.read().catch(() => null);
    return notice === null ? failure : this.refusal(notice);
  }

  private refusal(notice: MoveNotice): ServiceError {
    const now = performance.now();
    if (now - this.reportedAt >= reportInterval) {
      this.reportedAt = now;
      this.report(notice);
    }
    return movedAway(new DatabaseMoved(notice.place));
  }

  /** The notice; `null` if the database is here. */
  private read(): Promise<MoveNotice | null> {
    const table = noticeTable(this.tables);
    return withConnection(this.knex, async (connection) => {
      if (!(await hasNotice((query) => runOn(connection, query), this.tables))) return null;
      const text = `select place, sealed_url as "sealedUrl" from ${table}`;
      return (await runOn<MoveNotice>(connection, { text })).rows[0] ?? null;
    });
  }
}
