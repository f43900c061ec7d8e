/**
 * Opens the engine in a directory (argument) and commits pairs of rows as fast as it can. Prints the number of the pair
 * after each commit. Between commits, a transaction stays open; its row must never become visible.
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
