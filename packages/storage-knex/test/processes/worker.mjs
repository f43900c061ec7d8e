// Works on a storage like another process of the service: `worker.mjs <url> <schema> <task> <input>`.
import { createMariadbKnex, createPostgresKnex, KnexStorage, MariadbStorage } from "@sallyport/storage-knex";

const [url, schema, task, input] = process.argv.slice(2);
const limits = { max: 4, acquireTimeout: 20_000, maxPendingAcquires: 1_000 };
const settings = { url, pool: limits, connectTimeout: 10_000, statementTimeout: 30_000 };
const storage = url.startsWith("postgres") ? onPostgres() : await onMariadb();

function onPostgres() {
  const { knex, close } = createPostgresKnex(settings);
  return new KnexStorage({ knex, schema, onClose: close });
}

async function onMariadb() {
  const { knex, close } = await createMariadbKnex(settings);
  return new MariadbStorage({ knex, database: schema, onClose: close });
}

const tasks = {
  migrate: () => storage.migrate(),
  /** Opens the given sessions: alone, in transactions and in batches by turns. Returns the codes, 0 for an opened session. */
  openSessions: ({ sessions, policy }) =>
    Promise.all(
      sessions.map((session, index) => {
        const open = (r) => r.sessions.open(session, policy);
        const ways = [() => open(storage.repositories), () => storage.transaction(open), () => storage.batch(open)];
        return ways[index % 3]().then(
          () => 0,
          ({ code }) => code,
        );
      }),
    ),
  /** Puts the given records within the quota, alone and in transactions by turns. Returns the outcomes. */
  putRecords: ({ records, quota }) =>
    Promise.all(
      records.map(({ id, owner }, index) => {
        const put = (r) => r.records.putWithin("state", id, 1, { owner, lifetime: 600_000, quota });
        return index % 2 === 0 ? put(storage.repositories) : storage.transaction(put);
      }),
    ),
  /** Reserves and accepts numbers concurrently. Returns the first reserved numbers and the number of fresh ones. */
  numberMessages: async ({ session, reservations, numbers }) => {
    const { channels } = storage.repositories;
    const [firsts, verdicts] = await Promise.all([
      Promise.all(Array.from({ length: reservations }, () => channels.reserveOut(session, 7))),
      Promise.all(numbers.map((number) => channels.acceptIn(session, BigInt(number)))),
    ]);
    return { firsts: firsts.map(String), fresh: numbers.filter((_, index) => verdicts[index] === "fresh") };
  },
  /** Registers each message with its own client key, concurrently. Returns the messages registered first. */
  registerBlocks: async ({ clientKey, messages }) => {
    const { channels } = storage.repositories;
    const register = (blocks) =>
      channels.registerBlocks({ blocks, clientKey, keyId: "key" }, { uses: 3, within: 60_000 });
    const verdicts = await Promise.all(messages.map(register));
    return messages.filter((_, index) => verdicts[index] === "first");
  },
  /** Makes several concurrent attempts under each throttle key. */
  attempt: ({ keys, times }) =>
    Promise.all(Array.from({ length: times }, () => storage.repositories.throttle.attempt(keys))),
};

// Starts on request, so that several processes work at the same time.
process.send("ready");
process.once("message", async () => {
  const answer = await tasks[task](JSON.parse(input)).catch((error) => ({ error: error.code ?? String(error) }));
  await storage.close();
  process.send(answer, () => process.disconnect());
});
