import type { Knex } from "knex";
import { acquire, type Connection, release } from "./connection.ts";

/** A connection for several statements at once, given back when the last of them was answered. */
export class SharedLoan {
  private readonly connection: Promise<Connection>;
  private users = 0;

  constructor(private readonly knex: Knex) {
    this.connection = acquire(knex);
  }

  /** Must be called before anything is awaited after the loan was taken. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.users += 1;
    const connection = await this.connection;
    try {
      return await work(connection);
    } finally {
      this.users -= 1;
      if (this.users === 0) release(this.knex, connection);
    }
  }
}
