import { type JsonValue, type Repositories, seesAll, type Storage, type StoredObject } from "@sallyport/storage";
import { Model, visibilityOf, Applications } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import { PlainPasswordHasher } from "../../test/plain-password-hasher.ts";
import { demoCredentials } from "./demo-records.ts";
import { seedDemo, type DemoParts } from "./seed-demo.ts";

/** The data of the demo. */
describe("seed demo", () => {
  const digests = new NodeDigests();
  const files = new MemoryFileStore();
  const parts: DemoParts = { hasher: new PlainPasswordHasher(), digests, clientHash: "md5", alias: "", files };

  async function emptyStorage(): Promise<Storage> {
    const storage = new MemoryStorage();
    await storage.migrate();
    return storage;
  }

  async function all(r: Repositories, ...classes: readonly string[]): Promise<readonly StoredObject[]> {
    const { objects } = await r.objects.find({ classes }, seesAll, { offset: 0, limit: 10_000 });
    return objects;
  }

  const attribute = (objects: readonly StoredObject[], name: string): (JsonValue | undefined)[] =>
    objects.map(({ attributes }) => attributes[name]);

  /** All seeded data, without values that differ between runs. */
  async function contents({ repositories }: Storage): Promise<unknown[]> {
    const classes = ["User", "UserGroup", "Employee", "ContactPerson", "Image", "File", "Customer", "Invoice"];
    const found = await all(repositories, ...classes);
    return found.map(({ storedAt: _storedAt, ...rest }) => rest);
  }

  describe("demo data", () => {
    let r: Repositories;
    let customers: readonly StoredObject[];
    let invoices: readonly StoredObject[];

    beforeAll(async () => {
      const storage = await emptyStorage();
      expect(await seedDemo(storage, parts)).toBe("seeded");
      r = storage.repositories;
      customers = await all(r, "Customer");
      invoices = await all(r, "Invoice");
    });

    test("has 200 customers with distinct names, at impossible addresses", () => {
      expect(customers).toHaveLength(200);
      expect(new Set(attribute(customers, "Name")).size).toBe(200);
      for (const email of attribute(customers, "Email")) expect(email).toMatch(/^office@[a-z-]+\.example\.com$/);
    });

    test("has 1,000 invoices with distinct numbers, each with a customer and due after its date", () => {
      expect(invoices).toHaveLength(1_000);
      expect(new Set(attribute(invoices, "Number")).size).toBe(1_000);
      const ids = customers.map(({ id }) => id);
      for (const { attributes } of invoices) {
        expect(ids).toContain(attributes["Customer"]);
        expect(Date.parse(String(attributes["Due"]))).toBeGreaterThan(Date.parse(String(attributes["Date"])));
      }
    });

    test("fills every attribute of its classes with a value of its type", async () => {
      const model = new Model(await r.model.load());
      const expected = {
        string: "string",
        date: "string",
        reference: "string",
        file: "string",
        number: "number",
        boolean: "boolean",
      };
      for (const object of [...customers, ...invoices]) {
        const attributes = model.find(object.className)?.attributes ?? new Map();
        const optional = Object.hasOwn(object.attributes, "Document") ? [] : ["Document"];
        const present = [...attributes.values()].filter(({ name }) => !optional.includes(name));
        expect(Object.keys(object.attributes)).toEqual(present.map(({ name }) => name));
        for (const { name, type } of present) {
          expect(typeof object.attributes[name]).toBe(expected[type as keyof typeof expected]);
          if (type === "date") expect(object.attributes[name]).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        }
      }
    });

    test("has the three users with their passwords, and one administrator", async () => {
      for (const { name, password } of demoCredentials.users) {
        const { account } = await r.accounts.find({ realm: "database", loginName: name }, []);
        expect(account).toMatchObject({ secret: `plain:${digests.md5(password)}`, administrator: name === "admin" });
      }
    });

    test("gives each user the rights that the banner promises", async () => {
      const model = new Model(await r.model.load());
      const { rights } = model.find("Customer")?.definition ?? { rights: [] };
      const mayOf = async (name: string) => {
        const { account } = await r.accounts.find({ realm: "database", loginName: name }, []);
        const [user] = await r.objects.get([account?.userId ?? ""], seesAll);
        const groups = user?.attributes["Groups"] as string[];
        const permissions = rights.filter(({ group }) => groups.includes(group)).flatMap((right) => right.permissions);
        const principal = { userId: account?.userId ?? "", groups, administrator: account?.administrator ?? false };
        return { permissions, sees: [...(visibilityOf(principal, model).classes ?? ["everything"])] };
      };
      expect(await mayOf("demo")).toEqual({
        permissions: ["read", "create", "write", "delete"],
        sees: ["File", "Customer", "Invoice"],
      });
      expect(await mayOf("reader")).toEqual({ permissions: ["read"], sees: ["File", "Customer", "Invoice"] });
      expect(await mayOf("admin")).toEqual({ permissions: [], sees: ["everything"] });
      expect(model.find("Invoice")?.definition.rights).toEqual(rights);
    });

    test("has its app names and no others", async () => {
      const known = await new Applications(r.records).existing(["demo-app", "demo-seats", "demo-2fa", "other"]);
      expect(known.toSorted()).toEqual(["demo-2fa", "demo-app", "demo-seats"]);
    });
  });

  describe("seeding", () => {
    test("creates the same objects for the same alias, and other customers for another", async () => {
      const [first, again, second] = await Promise.all(
        ["", "", "second"].map(async (alias) => {
          const storage = await emptyStorage();
          await seedDemo(storage, { ...parts, alias });
          return storage;
        }) as [Promise<Storage>, Promise<Storage>, Promise<Storage>],
      );
      expect(await contents(again)).toEqual(await contents(first));
      const names = await Promise.all(
        [first, second].map(async ({ repositories }) => attribute(await all(repositories, "Customer"), "Name")),
      );
      expect(names[1]).not.toEqual(names[0]);
    });

    test("happens once", async () => {
      const storage = await emptyStorage();
      await seedDemo(storage, parts);
      const before = await contents(storage);
      expect(await seedDemo(storage, parts)).toBe("present");
      expect(await contents(storage)).toEqual(before);
    });

    test("happens once in concurrent calls", async () => {
      const storage = await emptyStorage();
      const states = await Promise.all([1, 2, 3].map(() => seedDemo(storage, parts)));
      expect(states.toSorted()).toEqual(["present", "present", "seeded"]);
      expect(await all(storage.repositories, "Customer")).toHaveLength(200);
    });

    test("leaves a non-empty database unchanged", async () => {
      const storage = await emptyStorage();
      await storage.repositories.objects.insert([{ className: "UserGroup", attributes: { Name: "Ours" } }]);
      expect(await seedDemo(storage, parts)).toBe("foreign");
      expect(await contents(storage)).toHaveLength(1);
    });

    test.each<[string, (r: Repositories) => Promise<unknown>]>([
      ["an app key", (r) => r.appKeys.create({ name: "ours", appNames: null, origins: [] }, digests.sha256("ours"))],
      ["an app name", (r) => new Applications(r.records).create({ name: "ours", seats: null })],
      ["an account", (r) => r.accounts.create({ userId: "1", loginName: "us", secret: "", administrator: true }, "us")],
      ["a class", (r) => r.model.change({ put: [{ name: "Ours", base: null, attributes: [], rights: [] }] }, 1)],
      [
        "an object of a class that is not in the model",
        (r) => r.objects.insert([{ className: "Ours", attributes: {} }]),
      ],
    ])("leaves a database unchanged that contains only %s", async (_, fill) => {
      const storage = await emptyStorage();
      await fill(storage.repositories);
      expect(await seedDemo(storage, parts)).toBe("foreign");
      expect(await new Applications(storage.repositories.records).existing(["demo-app"])).toEqual([]);
    });

    test("stops without a trace when another write comes first", async () => {
      const storage = await emptyStorage();
      const hasher = new PlainPasswordHasher();
      hasher.hash = async (password) => {
        await storage.repositories.objects.insert([{ className: "UserGroup", attributes: { Name: password } }]);
        return "late";
      };
      expect(await seedDemo(storage, { ...parts, hasher })).toBe("foreign");
      expect(await new Applications(storage.repositories.records).existing(["demo-app"])).toEqual([]);
    });

    test("leaves nothing behind when it fails, and succeeds the next time", async () => {
      const storage = await emptyStorage();
      const broken: Storage = {
        capabilities: storage.capabilities,
        repositories: storage.repositories,
        archive: storage.archive,
        batch: (work) => storage.batch(work),
        migrate: () => storage.migrate(),
        alignIndexes: (wanted) => storage.alignIndexes(wanted),
        readyIndexes: (indexes) => storage.readyIndexes(indexes),
        health: () => storage.health(),
        now: () => storage.now(),
        close: () => storage.close(),
        transaction: (work) =>
          storage.transaction(async (repositories, attempt) => {
            await work(repositories, attempt);
            throw new Error("the power went");
          }),
      };
      await expect(seedDemo(broken, parts)).rejects.toThrow("the power went");
      expect(await contents(storage)).toEqual([]);
      expect(await seedDemo(storage, parts)).toBe("seeded");
    });
  });
});
