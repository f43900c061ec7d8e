import { setImmediate as settled } from "node:timers/promises";
import { type CancellableRead, type Repositories, seesAll, type ServiceError, type Storage } from "@sallyport/storage";
import { Database, type Turn, type TurningRequest, Turns, type TurnTaker } from "../../src/index.ts";
import { digests, policy } from "../fixture.ts";

/** A taker whose client can leave. */
function client(person: string, session = person): TurningRequest & { leave(): void } {
  const left = new Set<() => void>();
  let isGone = false;
  return {
    person,
    session,
    hasLeft: () => isGone,
    onDisconnect: (call) => {
      left.add(call);
      return () => void left.delete(call);
    },
    leave: () => {
      isGone = true;
      for (const call of left) call();
    },
  };
}

/** Timers that end when the test says so. */
function timers() {
  const running = new Set<() => void>();
  return {
    after: (_milliseconds: number, call: () => void) => {
      running.add(call);
      return () => void running.delete(call);
    },
    elapse: () => {
      for (const call of running) call();
    },
    running,
  };
}

const stay = () => undefined;

/** Takes turns that end on demand, and notes in which order they begin. */
function queue(turns: number | null, limits: { readonly maxWaiting?: number } = {}) {
  const { after, ...clock } = timers();
  const shared = new Turns({ turns, timeout: 1_000, maxWaiting: limits.maxWaiting ?? 1_000 }, after);
  const begun: string[] = [];
  const running: Turn[] = [];
  const take = async (taker: TurnTaker, { writesRow = false } = {}): Promise<void> => {
    const begin = (turn: Turn) => {
      begun.push(taker.session);
      running.push(turn);
    };
    const taken = shared.take(taker, writesRow, stay);
    if (taken instanceof Promise) begin(await taken);
    else begin(taken);
  };
  const endOldest = async () => {
    const turn = running.shift();
    if (turn !== undefined) shared.end(turn);
    await settled();
  };
  return { shared, begun, take, endOldest, ...clock };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 0,
    (error: unknown) => (error as ServiceError).code,
  );

describe("turns", () => {
  test("a person with one call waits for two turns of a flood at most", async () => {
    const { begun, take, endOldest } = queue(1);
    const flood = client("flood");
    for (let count = 0; count < 100; count += 1) void take(flood);
    await endOldest();
    void take(client("other"));
    await endOldest();
    expect(begun).toEqual(["flood", "flood", "other"]);
  });

  test("of one connection, no person has two turns in a row while another waits", async () => {
    const { begun, take, endOldest } = queue(1);
    for (const name of ["one", "one", "one", "two", "two", "three"]) void take(client(name));
    for (let count = 0; count < 6; count += 1) await endOldest();
    expect(begun).toEqual(["one", "two", "one", "three", "two", "one"]);
  });

  test("one person has half of the connections at most", async () => {
    const { begun, take, endOldest } = queue(4);
    for (let count = 0; count < 4; count += 1) void take(client("flood"));
    expect(begun).toEqual(["flood", "flood"]);
    for (const name of ["two", "three", "four"]) void take(client(name));
    expect(begun).toEqual(["flood", "flood", "two", "three"]);
    await endOldest();
    await endOldest();
    expect(begun.slice(4)).toEqual(["flood", "four"]);
  });

  test("turns of one person go round by sessions", async () => {
    const { begun, take, endOldest } = queue(1);
    for (const session of ["a", "a", "a", "b", "b", "c"]) void take(client("one", session));
    for (let count = 0; count < 6; count += 1) await endOldest();
    expect(begun).toEqual(["a", "a", "b", "c", "a", "b"]);
  });

  test("no person starves while others come one after the other", async () => {
    const { begun, take, endOldest } = queue(1);
    for (let count = 0; count < 3; count += 1) void take(client("flood"));
    for (let count = 0; count < 6; count += 1) {
      void take(client(`visitor ${count % 2}`));
      await endOldest();
    }
    expect(begun.filter((name) => name === "flood").length).toBe(3);
  });

  test("a call that waits too long is 607, and so is one beyond the places", async () => {
    const { shared, take, elapse, running } = queue(1, { maxWaiting: 4 });
    void take(client("one"));
    const waiting = [take(client("one")), take(client("one"))];
    expect(await codeOf(take(client("one")))).toBe(607);
    const others = [take(client("two")), take(client("three"))];
    expect(await codeOf(take(client("four")))).toBe(607);
    expect(shared.waiting).toBe(4);
    elapse();
    expect(await Promise.all([...waiting, ...others].map(codeOf))).toEqual([607, 607, 607, 607]);
    expect(shared.waiting).toBe(0);
    expect(running.size).toBe(0);
  });

  test("calls that write one row each share a turn if they begin at the same moment", async () => {
    const { begun, take, endOldest } = queue(1);
    const write = (name: string) => void take(client(name), { writesRow: true });
    for (const name of ["one", "one", "two"]) write(name);
    expect(begun).toEqual(["one", "one", "two"]);
    void take(client("reader"));
    await settled();
    write("late");
    expect(begun).toHaveLength(3);
    await endOldest();
    await endOldest();
    expect(begun).toHaveLength(3);
    await endOldest();
    expect(begun.slice(3)).toEqual(["reader"]);
    await endOldest();
    expect(begun.slice(4)).toEqual(["late"]);
  });

  test("waiting calls that write one row each begin together, eight in a turn, round by persons", async () => {
    const { begun, take, endOldest } = queue(1);
    void take(client("reader"));
    for (const name of ["flood", "flood", "flood", "flood", "flood", "flood", "flood", "flood", "one", "two"])
      void take(client(name), { writesRow: true });
    void take(client("list"));
    await endOldest();
    expect(begun.slice(1)).toEqual(["flood", "one", "two", ...Array.from({ length: 5 }, () => "flood")]);
    for (let count = 0; count < 8; count += 1) await endOldest();
    expect(begun.slice(9)).toEqual(["list"]);
    await endOldest();
    expect(begun.slice(10)).toEqual(["flood", "flood"]);
  });

  test("without a number, all calls begin at once", async () => {
    const { begun, take } = queue(null);
    for (let count = 0; count < 100; count += 1) void take(client("one"));
    expect(begun.length).toBe(100);
  });
});

/** A storage whose calls end on demand. */
function openStorage() {
  const calls: { readonly name: string; readonly end: (outcome?: unknown) => void }[] = [];
  const call = (name: string) => () =>
    new Promise<unknown>((end) => {
      calls.push({ name, end });
    });
  const cancelled: string[] = [];
  const cancellable = (name: string, { onCancel }: CancellableRead) => {
    onCancel?.(() => cancelled.push(name));
    return call(name)();
  };
  const repositories = {
    admission: { admit: call("admit") },
    objects: {
      find: (_query: unknown, options: CancellableRead) => cancellable("find", options),
      get: call("get"),
      watermark: (options: CancellableRead) => cancellable("watermark", options),
      changes: (_query: unknown, options: CancellableRead) => cancellable("changes", options),
    },
    records: { get: call("records.get"), put: call("records.put") },
  } as unknown as Repositories;
  const storage = {
    capabilities: { connections: 1 },
    repositories,
    transaction: async (work: (r: Repositories) => Promise<unknown>) => {
      calls.push({ name: "begin", end: () => {} });
      return work(repositories);
    },
  } as unknown as Storage;
  const { after } = timers();
  const turns = new Turns({ turns: 1, timeout: 1_000, maxWaiting: 100 }, after);
  const database = new Database({
    alias: "",
    name: "",
    policy,
    storage,
    digests,
    turns,
  } as unknown as ConstructorParameters<typeof Database>[0]);
  return {
    database,
    cancelled,
    names: () => calls.map(({ name }) => name),
    end: () => calls.splice(0).forEach((each) => each.end([])),
  };
}

const find = ({ storage }: Database) =>
  storage.repositories.objects.find({ classes: ["A"] }, seesAll, { offset: 0, limit: 1 });

describe("the storage of a request", () => {
  test("short calls take no turn, and a read of one object is one", async () => {
    const { database, names } = openStorage();
    const [one, other] = [database.inTurns(client("one")), database.inTurns(client("other"))];
    void find(one);
    void find(other);
    const { admission, objects } = other.storage.repositories;
    void admission.admit({ appKey: null, session: null, idleTimeout: 1 });
    void objects.get(["1"], seesAll);
    void objects.get(["1", "2"], seesAll);
    await settled();
    expect(names()).toEqual(["find", "admit", "get"]);
  });

  test("a transaction is one turn, and its request never waits for another one", async () => {
    const { database, names, end } = openStorage();
    const [one, other] = [database.inTurns(client("one")), database.inTurns(client("other"))];
    const written = one.storage.transaction(async (r) => {
      await r.records.put({} as never, "", null as never);
      await find(one);
    });
    void find(other);
    await settled();
    expect(names()).toEqual(["begin", "records.put"]);
    end();
    await settled();
    expect(names()).toEqual(["find"]);
    end();
    await written;
    await settled();
    expect(names()).toEqual(["find"]);
  });

  test("reads that belong together are one turn, which the reads of another person wait for", async () => {
    const { database, names, end } = openStorage();
    const [one, other] = [database.inTurns(client("one")), database.inTurns(client("other"))];
    const list = one.inOneTurn(async () => [
      await find(one),
      await one.storage.repositories.objects.get(["1", "2"], seesAll),
    ]);
    const late = find(other);
    await settled();
    expect(names()).toEqual(["find"]);
    end();
    await settled();
    expect(names()).toEqual(["get"]);
    end();
    await list;
    await settled();
    expect(names()).toEqual(["find"]);
    end();
    await late;
  });

  const put = (r: Repositories) => r.records.put({} as never, "", null as never);

  test.each<[string, (storage: Storage) => Promise<unknown>]>([
    ["of one call", ({ repositories }) => put(repositories)],
    ["of a transaction", (storage) => storage.transaction(put)],
  ])("a write %s beside reads that belong together brings the request to its end", async (_title, write) => {
    const { database, end } = openStorage();
    const writer = client("writer");
    const view = database.inTurns(writer);
    const both = view.inOneTurn(async () => {
      await write(view.storage);
      writer.leave();
      return find(view);
    });
    await settled();
    end();
    await settled();
    end();
    expect(await both).toEqual([]);
  });

  test("a request without its client leaves the queue, and its running read is cancelled", async () => {
    const { database, names, end, cancelled } = openStorage();
    const [reader, waiter, next] = [client("reader"), client("waiter"), client("next")];
    const reading = find(database.inTurns(reader));
    const waiting = find(database.inTurns(waiter));
    const last = find(database.inTurns(next));
    waiter.leave();
    expect(await codeOf(waiting)).toBe(699);
    reader.leave();
    expect(cancelled).toEqual(["find"]);
    end();
    expect(await codeOf(reading)).toBe(699);
    expect(names()).toEqual(["find"]);
    end();
    expect(await last).toEqual([]);
    expect(await codeOf(find(database.inTurns(waiter)))).toBe(699);
    expect(names()).toEqual([]);
  });

  test("a request that has written comes to its end without its client", async () => {
    const { database, names, end } = openStorage();
    const writer = client("writer");
    const { repositories } = database.inTurns(writer).storage;
    const put = repositories.records.put({} as never, "", null as never);
    writer.leave();
    end();
    await put;
    void repositories.records.get({} as never, []);
    expect(names()).toEqual(["records.get"]);
  });

  test("a read of a request that has written is not cancelled", async () => {
    const { database, end, cancelled } = openStorage();
    const writer = client("writer");
    const view = database.inTurns(writer);
    const put = view.storage.repositories.records.put({} as never, "", null as never);
    end();
    await put;
    const reading = find(view);
    writer.leave();
    end();
    expect(await reading).toEqual([]);
    expect(cancelled).toEqual([]);
  });

  test.each<["watermark" | "changes", (r: Repositories) => Promise<unknown>]>([
    ["watermark", (r) => r.objects.watermark()],
    ["changes", (r) => r.objects.changes({} as never)],
  ])("a read of the feed of changes is cancelled: %s", async (name, read) => {
    const { database, end, cancelled } = openStorage();
    const reader = client("reader");
    const reading = read(database.inTurns(reader).storage.repositories);
    reader.leave();
    end();
    expect(await codeOf(reading)).toBe(699);
    expect(cancelled).toEqual([name]);
  });
});
