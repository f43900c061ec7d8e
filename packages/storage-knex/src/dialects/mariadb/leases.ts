import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Run, retried, runnerOf, withConnection } from "./connection.ts";
import type { Tables } from "./tables.ts";

/** Work of one process at a time. */
export type LeasedWork = "archive" | "indexes" | "migrations";

/** Seconds for which a lease holds without renewal. A crashed holder blocks others for no longer. */
const leaseTime = 30;

/** Milliseconds between two renewals, and between two tries to take a lease. */
const renewalInterval = 10_000;
const tryInterval = 200;

const never = "'1000-01-01'";

/**
 * The right of one process to do some work on a database: a row with the holder and an expiry. A named lock would hold
 * only within one node of a cluster; of two nodes that change the row, one fails at its commit. The holder renews the
 * lease, also during a long statement, and stops before its next change if it was lost.
 */
export class Lease {
  private readonly holder = randomUUID();
  /** `performance.now()` before the last renewal. */
  private renewedAt = Number.NEGATIVE_INFINITY;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly work: LeasedWork,
  ) {}

  /** Takes a free or expired lease, outside a transaction. Waits for it up to this many seconds; `false` on time-out. */
  async take(run: Run, waitTimeout = 0): Promise<boolean> {
    const end = performance.now() + waitTimeout * 1_000;
    while (!(await this.write(run, "expires_at <= now(6)", []))) {
      if (performance.now() >= end) return false;
      await delay(tryInterval);
    }
    const renew = () => withConnection(this.knex, (connection) => this.renew(runnerOf(connection)));
    // If it fails, the holder renews the lease before its next change.
    this.heartbeat = setInterval(() => renew().catch(() => {}), renewalInterval).unref();
    return true;
  }

  /** Sends statements outside a transaction while the lease is in force. Throws `LostLease` before the others. */
  guard(run: Run): Run {
    return async (sql, values) => {
      const isFresh = performance.now() - this.renewedAt < 2 * renewalInterval;
      if (!isFresh && !(await this.renew(run))) throw new LostLease();
      return run(sql, values);
    };
  }

  /** Ends a lease that was taken, on any connection. If that fails, the lease expires. */
  async end(): Promise<void> {
    if (this.heartbeat === undefined) return;
    this.abandon();
    const { leases } = this.tables;
    const text = `update ${leases} set holder = '', expires_at = ${never} where work = ? and holder = ?`;
    await withConnection(this.knex, (connection) =>
      retried(runnerOf(connection))(text, [this.work, this.holder]),
    ).catch(() => {});
  }

  /** Stops the renewal. The lease expires. */
  abandon(): void {
    clearInterval(this.heartbeat);
    this.heartbeat = undefined;
  }

  private renew(run: Run): Promise<boolean> {
    return this.write(run, "holder = ?", [this.holder]);
  }

  private async write(run: Run, condition: string, values: readonly string[]): Promise<boolean> {
    const began = performance.now();
    const { rowCount } = await retried(run)(
      `update ${this.tables.leases} set holder = ?, expires_at = now(6) + interval ${leaseTime} second where work = ? and ${condition}`,
      [this.holder, this.work, ...values],
    );
    if (rowCount === 1) this.renewedAt = began;
    return rowCount === 1;
  }
}

/** The holder did not renew its lease in time, and another process took it. */
export class LostLease extends ServiceError {
  constructor() {
    super(706, { detail: "Another process has taken over the work." });
  }
}

/** The table of leases with a row for each. `migrate` creates it before everything else, because it takes one itself. */
export function leasesTable({ leases }: Tables): readonly [table: string, rows: string] {
  return [
    `create table if not exists ${leases} (
      work varchar(32) primary key,
      holder char(36) character set ascii collate ascii_bin not null,
      expires_at datetime(6) not null
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin`,
    `insert into ${leases} (work, holder, expires_at) values ('archive', '', ${never}), ('indexes', '', ${never}), ('migrations', '', ${never})
      on duplicate key update work = work`,
  ];
}
