import pg from "pg";
import PostgresClient from "knex/lib/dialects/postgres/index.js";

/** Knex's PostgreSQL client, for a database with one connection. */
export class EmbeddedKnexClient extends PostgresClient {
  override _driver(): typeof pg {
    return pg;
  }
}

// Knex would open a second connection to cancel. There is none, and a busy database receives no other messages.
EmbeddedKnexClient.prototype.canCancelQuery = false;
