import { fileURLToPath } from "node:url";
import { jest } from "@jest/globals";

type Call = (work: () => Promise<string>) => Promise<string>;
interface Access {
  readonly run: Call;
  readonly read: Call;
}
interface AdapterStorage {
  readonly repositories: Access;
  transaction(work: (access: Access) => Promise<string>): Promise<string>;
}

const pathOf = (file: string) => fileURLToPath(new URL(`../template/src/${file}`, import.meta.url));
jest.unstable_mockModule(pathOf("repositories/index.js"), () => ({ repositoriesOver: (access: Access) => access }));
const { AdapterStorage } = (await import(pathOf("adapter-storage.js"))) as {
  AdapterStorage: new (engine: unknown) => AdapterStorage;
};

/** A storage whose repositories are its path to an engine that records how transactions begin. */
function createFixture() {
  const begins: boolean[] = [];
  const engine = {
    withConnection: <T>(work: (connection: null) => Promise<T>) => work(null),
    isMigrated: async () => true,
    begin: async (_connection: null, reads: boolean) => void begins.push(reads),
    commit: async () => {},
  };
  return { storage: new AdapterStorage(engine), begins };
}

const work = async () => "done";

test("tells the engine which calls only read", async () => {
  const { storage, begins } = createFixture();
  expect(await storage.repositories.read(work)).toBe("done");
  expect(await storage.repositories.run(work)).toBe("done");
  expect(begins).toEqual([true, false]);
});

test("begins every transaction as a writing one", async () => {
  const { storage, begins } = createFixture();
  expect(await storage.transaction(({ read }) => read(work))).toBe("done");
  expect(begins).toEqual([false]);
});
