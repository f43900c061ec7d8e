import { fileURLToPath } from "node:url";
import { type Attempt, OutdatedModelError, ServiceError } from "@sallyport/core";

interface UnitOfWork {
  readonly attempt: Attempt;
  run<T>(work: (connection: unknown) => Promise<T>): Promise<T>;
  settled(): Promise<void>;
}
const { UnitOfWork } = (await import(fileURLToPath(new URL("../template/src/unit-of-work.js", import.meta.url)))) as {
  UnitOfWork: new (connection: unknown, engine: unknown) => UnitOfWork;
};

/** A unit of work over an engine that records its calls. */
function createFixture({ undo = () => {} } = {}) {
  const calls: string[] = [];
  const engine = {
    setSavepoint: async (_connection: unknown, depth: number) => void calls.push(`savepoint ${depth}`),
    rollBackTo: async (_connection: unknown, depth: number) => {
      calls.push(`rollback ${depth}`);
      undo();
    },
  };
  const unit = new UnitOfWork(null, engine);
  const write = (what: string) => unit.run(async () => void calls.push(what));
  const refuse = (error: unknown) =>
    unit.run(async () => {
      throw error;
    });
  return { unit, calls, write, refuse };
}

test("sets a savepoint for each nested transaction and rolls back to it on an error", async () => {
  const { unit, calls, write } = createFixture();
  const mine = new Error("mine");
  await unit.attempt(() => write("a"));
  const failing = unit.attempt(async () => {
    await unit.attempt(() => write("b"));
    await write("c");
    throw mine;
  });
  await expect(failing).rejects.toBe(mine);
  await write("d");
  await unit.settled();
  expect(calls).toEqual(["savepoint 1", "a", "savepoint 1", "savepoint 2", "b", "c", "rollback 1", "d"]);
});

test.each([new ServiceError(713), new OutdatedModelError()])(
  "rolls back the nested transaction of a refused call: %s",
  async (refusal) => {
    const { unit, calls, write, refuse } = createFixture();
    await expect(unit.attempt(() => refuse(refusal))).rejects.toBe(refusal);
    await write("a");
    await unit.settled();
    expect(calls).toEqual(["savepoint 1", "rollback 1", "a"]);
  },
);

test.each([704, 706, 607] as const)("refuses all calls after %i, even in a nested transaction", async (code) => {
  const { unit, calls, write, refuse } = createFixture();
  const lost = new ServiceError(code);
  await unit.attempt(() => unit.attempt(() => refuse(lost))).catch(() => {});
  await expect(write("a")).rejects.toBe(lost);
  await expect(unit.attempt(() => write("a"))).rejects.toBe(lost);
  await expect(unit.settled()).rejects.toBe(lost);
  expect(calls).toEqual(["savepoint 1", "savepoint 2"]);
});

test("does not roll back a failure from before the nested transaction", async () => {
  const { unit, calls, refuse } = createFixture();
  const refusal = new ServiceError(713);
  await refuse(refusal).catch(() => {});
  await expect(unit.attempt(async () => "done")).rejects.toBe(refusal);
  await expect(unit.settled()).rejects.toBe(refusal);
  expect(calls).toEqual([]);
});

test("fails a nested transaction with a failed call", async () => {
  const { unit, calls, refuse } = createFixture();
  const refusal = new ServiceError(713);
  await expect(unit.attempt(() => refuse(refusal).catch(() => "done"))).rejects.toBe(refusal);
  await unit.settled();
  expect(calls).toEqual(["savepoint 1", "rollback 1"]);
});

test("ends the transaction if a rollback to a savepoint fails", async () => {
  const connectionLost = new ServiceError(704);
  const { unit, write } = createFixture({
    undo: () => {
      throw connectionLost;
    },
  });
  const mine = new Error("mine");
  await expect(unit.attempt(() => Promise.reject(mine))).rejects.toBe(mine);
  await expect(write("a")).rejects.toBe(connectionLost);
});
