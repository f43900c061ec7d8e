import pg from "pg";
import PostgresClient from "knex/lib/dialects/postgres/index.js";

/** Knex's PostgreSQL client, for a database that works off one thing after another. */
export class EmbeddedKnexClient extends PostgresClient {
  override _driver(): typeof pg {
    return pg;
  }
}

// Knex would open a second connection to cancel from. There is no second one, and while the database works on a query
// it hears of nothing else.
EmbeddedKnexClient.prototype.canCancelQuery = false;
