/**
 * Opens the engine in a directory (argument) and commits pairs of rows as fast as it can; after each commit, a line with
 * the pair's number. In between it leaves a transaction open whose row must never be seen.
 */
import { openEmbeddedEngine } from "@sallyport/storage-pglite";

const { knex } = await openEmbeddedEngine({ dataDir: process.argv[2] });
await knex.schema.createTable("pairs", (table) => {
  table.integer("pair");
  table.text("half");
});
for (let pair = 1; ; pair += 1) {
  await knex.transaction(async (trx) => {
    await trx("pairs").insert({ pair, half: "left" });
    await trx("pairs").insert({ pair, half: "right".repeat(pair % 100) });
  });
  process.stdout.write(`${pair}\n`);
  const open = await knex.transaction();
  await open("pairs").insert({ pair: -pair, half: "never" });
  await open.rollback();
}
