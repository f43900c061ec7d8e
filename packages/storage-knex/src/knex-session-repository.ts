import { acceptStorable, channelOf, type NewSession, type SessionPolicy, type SessionRepository, type SessionSelector, objectNumber } from "@sallyport/core";
import type { ChannelStatements } from "./dialects/postgres/statements/channel-statements.ts";
import type { SessionStatements } from "./dialects/postgres/statements/session-statements.ts";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";

export class KnexSessionRepository implements SessionRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: SessionStatements,
    private readonly channels: ChannelStatements,
    private readonly offset: () => number,
  ) {}

  async open(session: NewSession, policy: SessionPolicy): Promise<"opened" | "full"> {
    acceptStorable([session.deviceId, session.appNames]);
    const channel = channelOf(session);
    if (channel === null) return this.openSession(this.sql, session, policy);
    const values = [Buffer.from(session.digest, "hex"), channel.wrappedKey, Buffer.from(channel.ivPrefix)];
    return this.sql.atomically(async (sql) => {
      // Sent together: the channel opens only where the session has.
      const [outcome] = await Promise.all([this.openSession(sql, session, policy), sql.run(this.channels.open, values)]);
      return outcome;
    });
  }

  async end(selector: SessionSelector): Promise<number> {
    const { rows } =
      "digest" in selector
        ? await this.sql.run<{ live: string }>(this.statements.endOne, [Buffer.from(selector.digest, "hex"), this.offset()])
        : await this.sql.run<{ live: string }>(this.statements.endAllOfUser, [objectNumber(selector.userId), this.offset()]);
    return Number(rows[0]?.live);
  }

  async count(): Promise<number> {
    const { rows } = await this.sql.run<{ count: string }>(this.statements.count, [this.offset()]);
    return Number(rows[0]?.count);
  }

  async sweep(limit: number): Promise<number> {
    const { rows } = await this.sql.run<{ all: string }>(this.statements.sweep, [limit, this.offset()]);
    return Number(rows[0]?.all);
  }

  private async openSession(runner: SqlRunner, session: NewSession, policy: SessionPolicy): Promise<"opened" | "full"> {
    const { limit, perUserLimit } = policy;
    const values = this.valuesOf(session, policy);
    if (limit === 0 && perUserLimit === 0) return outcomeOf(await runner.run(this.statements.open, values));
    return runner.atomically(async (sql) => {
      // The statement after the lock sees what was committed while it waited; the lock's own would not.
      const [, opened] = await Promise.all([
        sql.run(this.statements.lock, [limit > 0, perUserLimit > 0, objectNumber(session.userId)]),
        sql.run<{ opened?: boolean }>(this.statements.openWithin, [...values, limit, perUserLimit]),
      ]);
      return outcomeOf(opened);
    });
  }

  private valuesOf({ digest, mode, appKeyId, userId, secretVersion, appNames, deviceId }: NewSession, policy: SessionPolicy): SqlValue[] {
    return [
      Buffer.from(digest, "hex"),
      mode,
      appKeyId,
      objectNumber(userId),
      JSON.stringify(appNames),
      deviceId,
      policy.idleTimeout,
      policy.absoluteLifetime,
      this.offset(),
      secretVersion,
    ];
  }
}

function outcomeOf({ rows }: { rows: { opened?: boolean }[] }): "opened" | "full" {
  return rows[0]?.opened === true ? "opened" : "full";
}
