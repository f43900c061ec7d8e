import { holdContest } from "./contest/hold-contest.ts";
import { LoadedServer } from "./contest/loaded-server.ts";
import { startLimit } from "./limits/start-limit.ts";
import { LoadGenerator } from "./load/load-generator.ts";
import { fillBareTables } from "./postgres/bare-tables.ts";
import { BenchDatabase } from "./postgres/bench-database.ts";
import { openPostgres } from "./postgres/postgres-server.ts";

const server = await openPostgres();
const database = await BenchDatabase.create(server);
const generator = new LoadGenerator();
try {
  const sessionId = "A".repeat(43);
  await fillBareTables(database, { articles: 1000, contacts: 1000, sessionId });
  const b = await startLimit("express-json", database.address, 10);
  const c = await startLimit("express-row", database.address, 10);
  const c2 = await startLimit("express-list", database.address, 10);
  const headers = { sessionid: sessionId, appkey: "x" };
  const ids = Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 1000) + 1);
  const job = (address: string, paths: string[]) => ({ address, connections: 32, requests: paths.map((path) => ({ method: "GET" as const, path, headers })) });
  const names = ["b", "plain", "prepared", "list kB", "list 0.3"];
  const result = await holdContest([
    new LoadedServer("b", b.process, job(b.address, ["/json"]), generator, database),
    new LoadedServer("plain", c.process, job(c.address, ids.map((id) => `/plain/${id}`)), generator, database),
    new LoadedServer("prepared", c.process, job(c.address, ids.map((id) => `/prepared/${id}`)), generator, database),
    new LoadedServer("list kB", c2.process, job(c2.address, ["/list/Article"]), generator, database),
    new LoadedServer("list 0.3", c2.process, job(c2.address, ["/list/Contact"]), generator, database),
  ], { rounds: 3, seconds: 3, warmUp: 2 });
  for (const name of names) console.log(name, result.of(name));
  await Promise.all([b, c, c2].map(({ process: p }) => p.stop()));
} finally {
  generator.close();
  await database.drop();
  await server.stop();
}
