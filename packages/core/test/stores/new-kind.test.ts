import { MemoryStorage } from "@sallyport/storage-memory";
import { changeRecord, type RecordKind, type Repositories, ServiceError } from "@sallyport/storage";

/** A kind of records that no storage knows. */
describe("new kind", () => {
  /** Notes of users by title: a kind that nothing else knows, and all that a kind needs. */
  interface Note {
    readonly text: string;
    readonly read: number;
  }

  const notes: RecordKind<Note> = "note";

  class Notes {
    constructor(private readonly r: Pick<Repositories, "records">) {}

    /** 307 if a note with this title exists. */
    async write(title: string, owner: string, text: string): Promise<void> {
      const outcome = await this.r.records.put(notes, title, { text, read: 0 }, { owner, ifVersion: "none" });
      if (outcome !== "stored") throw new ServiceError(307);
    }

    async read(title: string): Promise<string | null> {
      const found = await changeRecord(this.r.records, notes, title, ({ text, read }) => ({ text, read: read + 1 }));
      return found ? ((await this.r.records.get(notes, [title]))[0]?.value.text ?? null) : null;
    }

    async reads(title: string): Promise<number> {
      return (await this.r.records.get(notes, [title]))[0]?.value.read ?? 0;
    }
  }

  test("a new kind of record with its use case needs nothing but core", async () => {
    const storage = new MemoryStorage();
    await storage.migrate();
    const written = await Promise.allSettled(
      ["first", "second"].map((text) => storage.transaction((r) => new Notes(r).write("title", "user:7", text))),
    );
    expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const all = new Notes(storage.repositories);
    expect(await Promise.all(Array.from({ length: 10 }, () => all.read("title")))).toEqual(Array(10).fill("first"));
    expect([await all.reads("title"), await all.read("another")]).toEqual([10, null]);

    const archived = [];
    for await (const part of storage.archive.export()) archived.push(...part);
    expect(archived.filter(({ section }) => section === "records")).toMatchObject([
      { kind: "note", id: "title", owner: "user:7", value: { text: "first", read: 10 } },
    ]);

    // The removal of an account removes the records of its user.
    await storage.repositories.accounts.remove(["7"]);
    expect(await all.reads("title")).toBe(0);
  });
});
