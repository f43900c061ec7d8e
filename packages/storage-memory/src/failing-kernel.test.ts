import {
  type Kernel,
  type KernelReader,
  KernelStorage,
  type KernelTransaction,
  ofDatabase,
  RefusedByStorageError,
  type Repositories,
  seesAll,
} from "@sallyport/storage";
import { MemoryKernel } from "./memory-kernel.ts";

/** A memory kernel whose next calls of a method fail. */
function failing(): { readonly storage: KernelStorage; readonly failNext: (method: string, error: unknown) => void } {
  const kernel = new MemoryKernel();
  let next: { readonly method: string; readonly error: unknown } | null = null;
  const failures = <R extends KernelReader | KernelTransaction>(reader: R): R =>
    new Proxy(reader, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (next?.method !== name) return method.apply(target, args);
          const { error } = next;
          next = null;
          return Promise.reject(error);
        };
      },
    });
  const { version, capabilities } = kernel;
  const watched: Kernel = {
    version,
    capabilities,
    read: (work) => kernel.read((reader) => work(failures(reader))),
    transaction: (work) => kernel.transaction((transaction) => work(failures(transaction))),
    migrate: (tables) => kernel.migrate(tables),
    health: () => kernel.health(),
    close: () => kernel.close(),
  };
  return { storage: new KernelStorage(watched), failNext: (method, error) => (next = { method, error }) };
}

const insert = ({ objects }: Repositories, name: string) =>
  objects.insert([{ className: "File", attributes: { Name: name } }]);

describe("a failure of the kernel", () => {
  test("is a ServiceError with the cause", async () => {
    const { storage, failNext } = failing();
    await storage.migrate();
    const cause = new Error("disk I/O error");
    failNext("get", cause);
    await expect(storage.repositories.admission.admit(ofDatabase)).rejects.toMatchObject({ code: 799, cause });
  });

  test("ends the transaction, even if the work catches it in a nested one", async () => {
    const { storage, failNext } = failing();
    await storage.migrate();
    const outcomes: unknown[] = [];
    const running = storage.transaction(async (r, attempt) => {
      await insert(r, "outer");
      await attempt(async () => {
        failNext("put", new Error("no space left"));
        await insert(r, "inner");
      }).catch((error: unknown) => outcomes.push(error));
      await insert(r, "later").catch((error: unknown) => outcomes.push(error));
    });
    await expect(running).rejects.toMatchObject({ code: 799 });
    expect(outcomes).toHaveLength(2);
    expect(outcomes[0]).toBe(outcomes[1]);
    expect(await storage.repositories.objects.count({ classes: ["File"] }, seesAll)).toBe(0);
  });

  test("by a refusal of the database leaves the rest of the transaction", async () => {
    const { storage, failNext } = failing();
    await storage.migrate();
    await storage.transaction(async (r, attempt) => {
      await insert(r, "outer");
      const refused = attempt(async () => {
        await insert(r, "inner");
        failNext("put", new RefusedByStorageError("diskFull"));
        await insert(r, "refused");
      });
      await expect(refused).rejects.toBeInstanceOf(RefusedByStorageError);
    });
    expect(await storage.repositories.objects.count({ classes: ["File"] }, seesAll)).toBe(1);
  });

  test("an error of the work itself leaves the rest of the transaction", async () => {
    const { storage } = failing();
    await storage.migrate();
    await storage.transaction(async (r, attempt) => {
      await insert(r, "outer");
      const refused = attempt(async () => {
        await insert(r, "inner");
        throw new TypeError("mine");
      });
      await expect(refused).rejects.toThrow(TypeError);
    });
    expect(await storage.repositories.objects.count({ classes: ["File"] }, seesAll)).toBe(1);
  });
});
