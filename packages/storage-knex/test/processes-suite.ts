import type { Storage } from "@sallyport/storage";
import { runWorkers } from "./processes/run-workers.ts";
import { codeOf, digestOf, newSession, openPolicy } from "./sample.ts";
import { processTimeout } from "./test-database.ts";

/** A migrated storage that the test processes share. */
export interface SharedSubject {
  readonly url: string;
  /** The schema or the database. */
  readonly schema: string;
  readonly storage: Storage;
}

export const channel = { wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) };

/** Opens sessions in three concurrent processes. Returns all codes. */
export async function openInProcesses(
  { url, schema }: SharedSubject,
  policy: object,
  sessions: (process: number) => readonly object[],
): Promise<unknown[]> {
  const inputs = [0, 1, 2].map((process) => ({ policy, sessions: sessions(process) }));
  return (await runWorkers(url, "openSessions", inputs, schema)).flat();
}

export const times = (outcomes: readonly unknown[], outcome: unknown) =>
  outcomes.filter((each) => each === outcome).length;

const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

/** Sessions opened by several processes. The users 1 and 2 have none before. */
export function sharedSessionSuite(subject: () => SharedSubject): void {
  const twenty = (make: (index: number) => object) => Array.from({ length: 20 }, (_, index) => make(index));

  test(
    "fill the limit of the database exactly",
    async () => {
      const { sessions } = subject().storage.repositories;
      await sessions.open(newSession("before"), openPolicy);
      const outcomes = await openInProcesses(subject(), { ...openPolicy, limit: 11 }, (process) =>
        twenty((index) => newSession(`all ${process} ${index}`)),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([10, 50]);
      expect(await sessions.count()).toBe(11);
    },
    processTimeout,
  );

  test(
    "fill the limit of a user exactly",
    async () => {
      const outcomes = await openInProcesses(subject(), { ...openPolicy, perUserLimit: 4 }, (process) =>
        twenty((index) => newSession(`user ${process} ${index}`, { userId: index % 2 === 0 ? "1" : "2" })),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([8, 52]);
    },
    processTimeout,
  );

  test(
    "fill the limit of a device exactly, with and without other limits",
    async () => {
      for (const [limits, staying] of [
        [{}, 5],
        [{ limit: 2, perUserLimit: 3 }, 2],
      ] as const) {
        const outcomes = await openInProcesses(subject(), { ...openPolicy, ...limits }, (process) =>
          twenty((index) => newSession(`${staying} of a device ${process} ${index}`, { deviceId: "phone" })),
        );
        expect(times(outcomes, 0)).toBe(60);
        expect(await subject().storage.repositories.sessions.count()).toBe(staying);
      }
    },
    processTimeout,
  );

  test("are refused with an existing digest", async () => {
    const { sessions } = subject().storage.repositories;
    await sessions.open(newSession("twice"), openPolicy);
    for (const other of [{}, { userId: "2" }, { userId: "2", deviceId: "phone" }])
      expect(await codeOf(sessions.open(newSession("twice", other), openPolicy))).toBe(799);
    expect(await sessions.count()).toBe(1);
  });
}

interface SecureSubject extends SharedSubject {
  /** The rows of unused blocks. */
  unusedBlocks(): Promise<unknown[]>;
}

/** Secure sessions of several processes. */
export function sharedChannelSuite(subject: () => SecureSubject): void {
  const workers = (task: string, inputs: readonly unknown[]) =>
    runWorkers(subject().url, task, inputs, subject().schema);

  test(
    "assign and accept each message number once",
    async () => {
      const session = digestOf("numbers");
      const opened = newSession("numbers", { mode: "secure", channel });
      await subject().storage.repositories.sessions.open(opened, openPolicy);
      const numbers = Array.from({ length: 60 }, (_, index) => (index * 13) % 60);
      const answers = (await workers(
        "numberMessages",
        [1, 2, 3].map(() => ({ session, reservations: 40, numbers })),
      )) as { firsts: string[]; fresh: number[] }[];
      expect(ascending(answers.flatMap(({ firsts }) => firsts.map(Number)))).toEqual(
        Array.from({ length: 120 }, (_, index) => 7 * index),
      );
      expect(ascending(answers.flatMap(({ fresh }) => fresh))).toEqual(ascending(numbers));
    },
    processTimeout,
  );

  test(
    "accept messages with shared blocks as a whole, from one client",
    async () => {
      const block = (name: number) => digestOf(`block ${name}`);
      // Neighbours share a block. Every other process registers them in reverse order.
      const messages = Array.from({ length: 20 }, (_, index) => [
        block(2 * index),
        block(2 * index + 1),
        block((2 * index + 2) % 40),
      ]);
      const inputs = [0, 1, 2, 3].map((client) => ({
        clientKey: digestOf(`client ${client}`),
        messages: client % 2 === 0 ? messages : messages.toReversed().map((blocks) => blocks.toReversed()),
      }));
      const won = (await workers("registerBlocks", inputs)) as string[][][];
      const owners = new Map<string, number>();
      for (const [client, theirs] of won.entries()) {
        for (const each of theirs.flat()) expect(owners.set(each, owners.get(each) ?? client).get(each)).toBe(client);
      }
      expect(owners.size).toBeGreaterThan(0);
      expect(await subject().unusedBlocks()).toEqual([]);
    },
    processTimeout,
  );
}

interface ThrottleSubject extends SharedSubject {
  /** Sets the milliseconds that the clock of the storage is ahead of the other processes. */
  setClock(ahead: number): void;
}

/** Attempts of several processes. */
export function sharedThrottleSuite(subject: () => ThrottleSubject): void {
  test(
    "accept one attempt after a delay and count every failure across processes",
    async () => {
      const { url, schema, storage, setClock } = subject();
      const policy = { maxFailures: 3, initialDelay: 60_000, maxDelay: 900_000, resetAfter: 3_600_000 };
      const keys = ["user", "address"].map((key) => ({ key, policy }));
      setClock(-policy.initialDelay);
      const failures = Array.from({ length: policy.maxFailures }, (_, index) =>
        storage.repositories.throttle.fail(index % 2 === 0 ? keys : keys.toReversed()),
      );
      expect(ascending(await Promise.all(failures))).toEqual([0, 0, policy.initialDelay]);
      setClock(0);
      const inputs = Array.from({ length: 3 }, () => ({ keys, times: 20 }));
      const attempts = (await runWorkers(url, "attempt", inputs, schema)).flat() as {
        wait: number;
        reserved: boolean;
      }[];
      expect(attempts.filter(({ reserved }) => reserved)).toEqual([{ wait: 0, reserved: true }]);
      expect(attempts.filter(({ wait }) => wait > 0)).toHaveLength(59);
    },
    processTimeout,
  );
}
