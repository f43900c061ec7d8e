import { acceptStorable, channelOf, type NewSession, type SessionPolicy, type SessionRepository, type SessionSelector, objectNumber } from "@sallyport/core";
import type { ChannelStatements } from "./statements/channel-statements.ts";
import type { SessionStatements } from "./statements/session-statements.ts";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";

export class KnexSessionRepository implements SessionRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: SessionStatements,
    private readonly channels: ChannelStatements,
    private readonly offset: () => number,
  ) {}

  async open(session: NewSession, policy: SessionPolicy): Promise<void> {
    acceptStorable([session.deviceId, session.appNames]);
    const channel = channelOf(session);
    const values = this.valuesOf(session, policy);
    if (channel === null) {
      await this.sql.run(this.statements.open, values);
      return;
    }
    const opened = [Buffer.from(session.digest, "hex"), channel.wrappedKey, Buffer.from(channel.ivPrefix)];
    await this.sql.atomically((sql) => Promise.all([sql.run(this.statements.open, values), sql.run(this.channels.open, opened)]));
  }

  async end(selector: SessionSelector): Promise<number> {
    const { rows } =
      "digest" in selector
        ? await this.sql.run<{ live: string | number }>(this.statements.endOne, [Buffer.from(selector.digest, "hex"), this.offset()])
        : await this.sql.run<{ live: string | number }>(this.statements.endAllOfUser, [objectNumber(selector.userId), this.offset()]);
    return sumOf(rows.map(({ live }) => live));
  }

  async count(): Promise<number> {
    const { rows } = await this.sql.run<{ count: string }>(this.statements.count, [this.offset()]);
    return Number(rows[0]?.count);
  }

  async sweep(limit: number): Promise<number> {
    const { rows } = await this.sql.run<{ all: string | number }>(this.statements.sweep, [limit, this.offset()]);
    return sumOf(rows.map(({ all }) => all));
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
      policy.limit,
      policy.perUserLimit,
    ];
  }
}

/** Of counts, which come in as many rows as the engine finds it easy. */
function sumOf(counts: readonly (string | number)[]): number {
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}
