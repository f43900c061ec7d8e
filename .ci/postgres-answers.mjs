/** Exits 0 if the Postgres server at the given URL accepts a log-in. */
import { Client } from "pg";

const client = new Client({ connectionString: process.argv[2], connectionTimeoutMillis: 2000 });
client.on("error", () => {});
try {
  await client.connect();
  await client.query("select 1");
  await client.end();
} catch {
  process.exitCode = 1;
}
