import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { seedDemo } from "../../src/demo/index.ts";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer } from "../demo-server.ts";
import { secureSuite } from "./secure-suite.ts";
import { storedServerKeys } from "./stored-keys.ts";

describe("with a database in memory", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startConfiguredServer({ databases: [{ storage: { engine: "memory" } }] }, storedServerKeys);
    const storage = server.databases.get("")?.storage;
    const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
    if (storage) await seedDemo(storage, { hasher, digests: new NodeDigests(), clientHash: "md5", alias: "" });
  }, 60_000);
  afterAll(() => server.close());

  secureSuite(() => server);
});
