/** Opens the engine in a directory (argument), writes to it, and ends without closing it. */
import { openEmbeddedEngine } from "@sallyport/storage-pglite";

const { knex } = await openEmbeddedEngine({ dataDir: process.argv[2] });
await knex.raw("create table used as select 1 as one");
// As a process does that ends without a thought for what it has open.
process.exit(0);
