/** Opens the engine in a directory (argument), writes to it, and exits without closing it. */
import { openEmbeddedEngine } from "@sallyport/storage-pglite";

const { knex } = await openEmbeddedEngine({ dataDir: process.argv[2] });
await knex.raw("create table used as select 1 as one");
// Exits like a process that ignores its open resources.
process.exit(0);
