/**
 * The process of a limit: of a hand-written server that the product is measured against. Arguments: port, database URL, number
 * of database connections, provider URL, name of the limit. The modules of limits read theirs by themselves. Express and pg are
 * loaded for the limits that use them only.
 */
import { fakeAccountCount, fakeClient } from "./provider-client.ts";

const [, , port, , , , name = ""] = process.argv;

const limits: Readonly<Record<string, () => Promise<unknown>>> = {
  "express-json": async () => (await import("./express-objects.ts")).serveJson(),
  "express-list": async () => (await import("./express-objects.ts")).serveLists(),
  "express-row": async () => (await import("./express-objects.ts")).serveRows(),
  "express-query": async () => (await import("./express-objects.ts")).serveQueries(),
  "express-write": async () => (await import("./express-objects.ts")).serveWrites(),
  "express-stream": async () => (await import("./express-objects.ts")).serveStreams(),
  "express-upsert": async () => (await import("./express-objects.ts")).serveUpserts(),
  "express-hash": async () => (await import("./express-log-in.ts")).serveHashes(),
  "express-log-in": async () => (await import("./express-log-in.ts")).serveLogIns(),
  "express-callback": () => import("./express-callback.ts"),
  // Not a limit, but what scenarios with providers need.
  "fake-provider": startFakeProvider,
};

const serve = limits[name];
if (serve === undefined) throw new Error(`There is no limit "${name}".`);
await serve();

async function startFakeProvider(): Promise<void> {
  const { startFakeIdentityProviders } = await import("@sallyport/fake-identity-providers");
  await startFakeIdentityProviders({ port: Number(port), clients: [fakeClient], accounts: fakeAccountCount });
}
