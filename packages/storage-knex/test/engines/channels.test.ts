import type { Storage } from "@sallyport/storage";
import { runWorkers } from "../processes/run-workers.ts";
import { channel, digestOf, newSession, openPolicy } from "../sample.ts";
import { processTimeout } from "../test-database.ts";
import { onEngines } from "./on-engines.ts";

const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

onEngines("secure sessions of several processes", (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await database().storage();
  });

  const workers = (task: string, inputs: readonly unknown[]) =>
    runWorkers(database().url, task, inputs, database().schema);

  test(
    "assign and accept each message number once",
    async () => {
      const session = digestOf("numbers");
      const opened = newSession("numbers", { mode: "secure", channel });
      await storage.repositories.sessions.open(opened, openPolicy);
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
      expect(await database().rows(`select 1 from ${database().schema}.cipher_blocks where uses = 0`)).toEqual([]);
    },
    processTimeout,
  );
});
