import { type JsonValue, type ObjectId, seesAll, type Storage } from "@sallyport/storage";
import { MacroFault } from "../../src/index.ts";
import { code, MacroFixture } from "./macro-fixture.ts";

let macros: MacroFixture;

beforeEach(async () => {
  macros = await MacroFixture.open();
});

const names = async () => {
  const { objects } = macros.fixture.r;
  const found = await objects.find({ classes: ["Thing"], sort: [] }, seesAll, { offset: 0, limit: 100 });
  return found.objects.map(({ attributes: { Name: name } }) => name);
};
const create = (name: string) => ({ className: "Thing", attributes: { Name: name } });

/** Counts the transactions that are opened. */
function countTransactions(): { count: number } {
  const { storage } = macros.fixture.database;
  const counted = { count: 0 };
  const transaction: Storage["transaction"] = storage.transaction.bind(storage);
  storage.transaction = (work) => {
    counted.count += 1;
    return transaction(work);
  };
  return counted;
}

/** Lets each transaction lose its first commit. */
function loseFirstCommit(): void {
  const { storage } = macros.fixture.database;
  const transaction: Storage["transaction"] = storage.transaction.bind(storage);
  const lost = new Error("lost");
  storage.transaction = async (work) => {
    await expect(
      transaction(async (...args) => {
        await work(...args);
        throw lost;
      }),
    ).rejects.toBe(lost);
    return transaction(work);
  };
}

describe("macro execution", () => {
  test("returns its input, and opens no transaction to read", async () => {
    const opened = countTransactions();
    const [id] = (await macros.fixture.insert(create("one"))) as [ObjectId];
    macros.define("Read", async (ask, { input }) => [input ?? null, (await ask("objects.get", { id })) ?? null]);
    await expect(macros.execute("Read", { a: 1 })).resolves.toEqual([
      { a: 1 },
      { object: expect.objectContaining({ Name: "one" }), version: 1 },
    ]);
    expect({ opened, reserved: macros.runtime.reserved, executed: macros.executed }).toMatchObject({
      opened: { count: 0 },
      reserved: 0,
      executed: [{ macro: "Read", code: 0, cpu: 1 }],
    });
  });

  test("commits all its writes in one transaction, in which it sees them", async () => {
    const opened = countTransactions();
    macros.define("Write", async (ask) => {
      await ask("objects.create", create("one"));
      await ask("objects.create", create("two"));
      return (await ask("objects.find", { className: "Thing" })) as JsonValue;
    });
    await expect(macros.execute("Write")).resolves.toMatchObject({ list: { "~Count": 2 }, versions: [1, 1] });
    expect({ opened, names: await names() }).toEqual({ opened: { count: 1 }, names: ["one", "two"] });
  });

  test("rolls back when it fails", async () => {
    macros.define("Fail", async (ask) => {
      await ask("objects.create", create("one"));
      throw new MacroFault("threw", "Fail", "oh");
    });
    await expect(macros.execute("Fail")).rejects.toEqual(code(710, "Fail: oh"));
    expect({ names: await names(), reserved: macros.runtime.reserved }).toEqual({ names: [], reserved: 0 });
  });

  test("continues after a caught error, whose write is undone", async () => {
    macros.define("Catch", async (ask) => {
      await ask("objects.create", create("one"));
      await ask("objects.create", { className: "Thing", attributes: { Unknown: 1 } }).catch(() => {});
      await ask("objects.update", { id: "ZZZZ", attributes: {} }).catch(() => {});
      await ask("objects.create", create("two"));
      return null;
    });
    await expect(macros.execute("Catch")).resolves.toBeNull();
    expect(await names()).toEqual(["one", "two"]);
  });

  test("commits each write by itself when it declares so, and cannot lock rows then", async () => {
    const opened = countTransactions();
    const [id] = (await macros.fixture.insert(create("zero"))) as [ObjectId];
    macros.define(
      "Single",
      async (ask, { input }) => {
        await ask("objects.create", create("one"));
        if (input === "forUpdate") await ask("objects.get", { id, forUpdate: true });
        throw new MacroFault("threw", "Single", "oh");
      },
      { transaction: false },
    );
    await expect(macros.execute("Single")).rejects.toEqual(code(710));
    await expect(macros.execute("Single", "forUpdate")).rejects.toEqual(
      code(307, "at /objects.get/forUpdate: A lock requires a transaction."),
    );
    expect({ opened, names: await names() }).toEqual({ opened: { count: 0 }, names: ["zero", "one", "one"] });
  });

  test("runs again from its beginning when its transaction is retried", async () => {
    loseFirstCommit();
    let runs = 0;
    macros.define("Again", async (ask) => {
      runs += 1;
      await ask("objects.create", create(`run ${runs}`));
      return runs;
    });
    await expect(macros.execute("Again")).resolves.toBe(2);
    expect({ runs, names: await names() }).toEqual({ runs: 2, names: ["run 2"] });
  });

  test("has its time limit in a retried transaction, too", async () => {
    loseFirstCommit();
    let runs = 0;
    macros.define("Again", async (ask) => {
      runs += 1;
      await ask("objects.create", create("one"));
      if (runs === 2) for (const alarm of macros.alarms) alarm();
      return runs;
    });
    await expect(macros.execute("Again")).rejects.toEqual(code(710, "Again: took longer than 5000 ms"));
  });

  test("is told that no connection became free, and ends with that error", async () => {
    const { storage } = macros.fixture.database;
    const none = Object.assign(new Error("none"), { code: 607 });
    storage.transaction = () => Promise.reject(none);
    macros.define("Write", async (ask) => (await ask("objects.create", create("one")))!);
    await expect(macros.execute("Write")).rejects.toBe(none);
  });

  test("is answered at its time limit before its pending calls end, and nothing is committed", async () => {
    let finish = () => {};
    let wait = () => {};
    const { storage } = macros.fixture.database;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waits = new Promise<void>((resolve) => {
      wait = resolve;
    });
    const lock = () => {
      wait();
      return finished;
    };
    let done: Promise<unknown> | undefined;
    const transaction: Storage["transaction"] = storage.transaction.bind(storage);
    storage.transaction = <T>(work: Parameters<Storage["transaction"]>[0]) => {
      done = transaction(async (r, attempt) =>
        work({ ...r, objects: Object.assign(Object.create(r.objects), { lock }) as typeof r.objects }, attempt),
      );
      return done as Promise<T>;
    };
    const [id] = (await macros.fixture.insert(create("one"))) as [ObjectId];
    macros.define("Wait", async (ask) => {
      await ask("objects.create", create("two"));
      await ask("objects.get", { id, forUpdate: true });
      throw new MacroFault("timeout", "Wait", "took too long");
    });
    const answer = macros.execute("Wait");
    await waits;
    for (const alarm of macros.alarms) alarm();
    await expect(answer).rejects.toEqual(code(710, "Wait: took longer than 5000 ms"));
    finish();
    await expect(done).rejects.toThrow("took too long");
    expect({ names: await names(), alarms: macros.alarms.size, reserved: macros.runtime.reserved }).toEqual({
      names: ["one"],
      alarms: 0,
      reserved: 0,
    });
  });

  test("extends its time limit by the time that others ran before it", async () => {
    let [begun, finish] = [(): void => {}, (): void => {}];
    const begins = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    macros.runtime.waited = 700;
    macros.define("Slow", async () => {
      begun();
      await finished;
      return "slow";
    });
    const answer = macros.execute("Slow");
    await begins;
    const [alarm] = macros.alarms;
    macros.alarms.clear();
    alarm?.();
    expect(macros.alarms.size).toBe(1);
    finish();
    await expect(answer).resolves.toBe("slow");
    macros.runtime.waited = 0;
  });

  test("is answered with the outcome of its transaction once the commit has begun, however late", async () => {
    const { storage } = macros.fixture.database;
    const transaction: Storage["transaction"] = storage.transaction.bind(storage);
    storage.transaction = async (work) => {
      const result = await transaction(work);
      // The commit was sent, and its answer is slow.
      for (const alarm of macros.alarms) alarm();
      return result;
    };
    macros.define("Write", async (ask) => (await ask("objects.create", create("one"))) ?? null);
    await expect(macros.execute("Write")).resolves.toMatchObject({ version: 1 });
    expect(await names()).toEqual(["one"]);
  });
});

describe("macro that calls another", () => {
  const rights = (name: string, run: Parameters<MacroFixture["define"]>[1]) => macros.define(name, run);

  test("shares the transaction, and receives the result", async () => {
    const opened = countTransactions();
    rights("Inner", async (ask, { input }) => {
      await ask("objects.create", create("inner"));
      return { got: input ?? null };
    });
    rights("Outer", async (ask) => {
      await ask("objects.create", create("outer"));
      const answer = await ask("call", { name: "Inner", input: 1 });
      expect(answer).toEqual({ result: { got: 1 } });
      throw new MacroFault("threw", "Outer", "oh");
    });
    await expect(macros.execute("Outer")).rejects.toEqual(code(710));
    expect({ opened, names: await names(), reserved: macros.runtime.reserved }).toEqual({
      opened: { count: 1 },
      names: [],
      reserved: 0,
    });
  });

  test.each(["before", "inside", "deeper"])(
    "undoes the writes of a failed inner macro, with the transaction begun %s",
    async (begins) => {
      rights("Innermost", async (ask) => {
        await ask("objects.create", create("innermost"));
        return null;
      });
      rights("Inner", async (ask) => {
        if (begins === "deeper") await ask("call", { name: "Innermost" });
        await ask("objects.create", create("inner"));
        throw new MacroFault("threw", "Inner", "oh");
      });
      rights("Outer", async (ask) => {
        if (begins === "before") await ask("objects.create", create("outer"));
        await expect(ask("call", { name: "Inner" })).rejects.toEqual(code(710, "Inner: oh"));
        await ask("objects.create", create("after"));
        return null;
      });
      await expect(macros.execute("Outer")).resolves.toBeNull();
      expect(await names()).toEqual(begins === "before" ? ["outer", "after"] : ["after"]);
    },
  );

  test("keeps the writes of an inner macro when a sibling fails", async () => {
    rights("Good", async (ask) => (await ask("objects.create", create("good"))) as JsonValue);
    rights("Bad", async (ask) => {
      await ask("call", { name: "Good" });
      throw new MacroFault("threw", "Bad", "oh");
    });
    rights("Outer", async (ask) => {
      await ask("call", { name: "Good" });
      await ask("call", { name: "Bad" }).catch(() => {});
      return null;
    });
    await macros.execute("Outer");
    expect(await names()).toEqual(["good"]);
  });

  test("is refused a macro without access, an unknown one, and an invalid name", async () => {
    macros.define("Forbidden", async () => null, { access: { groups: [] } });
    rights("Outer", async (ask, { input }) => (await ask("call", { name: input ?? null })) as JsonValue);
    await expect(macros.execute("Outer", "Forbidden")).rejects.toEqual(code(401));
    await expect(macros.execute("Outer", "Nothing")).rejects.toEqual(code(710));
    await expect(macros.execute("Outer", "a-b")).rejects.toEqual(code(400));
    await expect(macros.execute("Outer", 1)).rejects.toEqual(code(400));
  });

  test("nests at most eight levels", async () => {
    rights("Self", async (ask) => (await ask("call", { name: "Self" })) as JsonValue);
    await expect(macros.execute("Self")).rejects.toEqual(code(710));
    expect(macros.runtime.invoked).toHaveLength(8);
  });

  test("gives the inner macro its own transaction when it has none", async () => {
    rights("Inner", async (ask) => {
      await ask("objects.create", create("inner"));
      return null;
    });
    macros.define(
      "Outer",
      async (ask) => {
        await ask("call", { name: "Inner" });
        throw new MacroFault("threw", "Outer", "oh");
      },
      { transaction: false },
    );
    const opened = countTransactions();
    await expect(macros.execute("Outer")).rejects.toEqual(code(710));
    expect({ opened, names: await names() }).toEqual({ opened: { count: 1 }, names: ["inner"] });
  });
});
