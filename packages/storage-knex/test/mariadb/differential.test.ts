import { findDifference, memoryReference, readyTest } from "@sallyport/conformance-kit";
import { mariadbAdapter } from "./mariadb-adapter.ts";
import { openTestMariadb } from "./test-mariadb.ts";

const runs = Number(process.env["RANDOM_QUERIES"] ?? 250);
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(`random queries and writes come to the same in memory and on MariaDB (RANDOM_SEED=${seed})`, async () => {
  const server = await openTestMariadb();
  try {
    const difference = await findDifference(memoryReference, mariadbAdapter(server), { runs, seed });
    if (difference !== null) throw new Error(readyTest(difference, "./mariadb-adapter.ts"));
  } finally {
    await server.close();
  }
}, 300_000);
