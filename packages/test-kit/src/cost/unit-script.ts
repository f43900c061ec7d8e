/**
 * The unit of the cost of a test run: 150 equal rounds of what tests spend most of their time on, hashing, JSON and SQL.
 * `node --liftoff-only unit-script.js` runs some of the rounds and prints the seconds of processor time of all 150. It uses no
 * code of the product, so that the unit stays the same when the product changes.
 */
import { createHash, scryptSync } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";

const rounds = 150;
/** Rounds before the measured ones, in which code is compiled and caches are filled. */
const warmUp = 3;
const measured = 9;

interface Item {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly numbers: readonly number[];
}

const items: readonly Item[] = Array.from({ length: 400 }, (_, id) => ({
  id,
  name: `Item ${(id * 7919) % 400}`,
  text: "A text with a “quotation” and a line break.\n".repeat(1 + (id % 5)),
  numbers: Array.from({ length: 10 }, (__, index) => (id * 31 + index * 17) % 1_000),
}));

function hash(): void {
  scryptSync("a password", "a salt", 32, { N: 4_096, r: 8, p: 1 });
  let digest = Buffer.alloc(32);
  for (let count = 0; count < 4_000; count += 1) digest = createHash("sha256").update(digest).digest();
}

function convert(): void {
  let text = JSON.stringify(items);
  for (let count = 0; count < 12; count += 1) text = JSON.stringify(JSON.parse(text) as readonly Item[]);
}

async function query(database: PGlite): Promise<void> {
  await database.query("begin");
  for (const { id, name, text } of items.slice(0, 40))
    await database.query("insert into items (id, name, content) values ($1, $2, $3)", [id, name, { text }]);
  for (let count = 0; count < 40; count += 1)
    await database.query(
      "select id, content ->> 'text' as text from items where name > $1 and id <> $2 order by name, id limit 20",
      [`Item ${count}`, count],
    );
  await database.query("rollback");
}

const database = await PGlite.create("memory://");
await database.exec("create table items (id integer primary key, name text not null, content jsonb not null)");
await database.exec("create index items_name on items (name, id)");
const seconds: number[] = [];
for (let count = 0; count < warmUp + measured; count += 1) {
  const before = process.cpuUsage();
  hash();
  convert();
  await query(database);
  const { user, system } = process.cpuUsage(before);
  if (count >= warmUp) seconds.push((user + system) / 1_000_000);
}
await database.close();
const median = seconds.toSorted((one, other) => one - other)[(measured - 1) / 2] ?? Number.NaN;
process.stdout.write(`${median * rounds}\n`);
