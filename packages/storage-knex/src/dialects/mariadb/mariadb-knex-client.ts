import type { Socket } from "node:net";
import Mysql2Client from "knex/lib/dialects/mysql2/index.js";
import type { ServerWatch } from "../../server-watch.ts";
import { PoolExhausted } from "../../pool-exhausted.ts";

/** What is read of Knex's pool. */
interface Pool {
  numFree(): number;
  numPendingAcquires(): number;
  numPendingCreates(): number;
}

/** What this client is configured with, beside what Knex knows. */
export interface MariadbClientConfiguration {
  readonly driver: unknown;
  readonly watch: ServerWatch;
  /** Callers that may wait for a connection; one more is refused at once. */
  readonly maxPendingAcquires: number;
}

/** Knex's client for mysql2, with a bounded queue before its pool. */
export class MariadbKnexClient extends Mysql2Client {
  override _driver(): unknown {
    return this.configuration.driver;
  }

  override async acquireConnection(): Promise<unknown> {
    if (this.waiting >= this.configuration.maxPendingAcquires)
      throw new PoolExhausted("Too many callers wait for a connection.");
    return this.configuration.watch.connected(
      () => super.acquireConnection(),
      (connection) => void this.releaseConnection(connection),
    );
  }

  /** A connection that cannot be trusted any more is not asked to take its leave. */
  override async destroyRawConnection(connection: {
    readonly __knex__disposed?: unknown;
    readonly stream: Socket;
  }): Promise<void> {
    if (connection.__knex__disposed === undefined) await super.destroyRawConnection(connection);
    else connection.stream.destroy();
  }

  /** Callers for whom there is neither a free connection nor one that is being made. */
  private get waiting(): number {
    const pool = this.pool as Pool | undefined;
    return pool === undefined ? 0 : pool.numPendingAcquires() - pool.numPendingCreates() - pool.numFree();
  }

  private get configuration(): MariadbClientConfiguration {
    return this.config as unknown as MariadbClientConfiguration;
  }
}
