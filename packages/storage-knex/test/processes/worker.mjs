// Works on a storage as another process of the service would: `worker.mjs <url> <schema> <task> <input>`.
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
  /** Opens the sessions given, alone, in transactions and together by turns; the codes of the refusals, 0 for each that was opened. */
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
  /** Puts the records given within the room, alone and in transactions by turns; what became of each. */
  putRecords: ({ records, quota }) =>
    Promise.all(
      records.map(({ id, owner }, index) => {
        const put = (r) => r.records.putWithin("state", id, 1, { owner, lifetime: 600_000, quota });
        return index % 2 === 0 ? put(storage.repositories) : storage.transaction(put);
      }),
    ),
  /** Reserves numbers and brings others, all at once; answers the first numbers reserved and how many were fresh. */
  numberMessages: async ({ session, reservations, numbers }) => {
    const { channels } = storage.repositories;
    const [firsts, verdicts] = await Promise.all([
      Promise.all(Array.from({ length: reservations }, () => channels.reserveOut(session, 7))),
      Promise.all(numbers.map((number) => channels.acceptIn(session, BigInt(number)))),
    ]);
    return { firsts: firsts.map(String), fresh: numbers.filter((_, index) => verdicts[index] === "fresh") };
  },
  /** Claims each message with a client key of its own, all at once; the messages that it was first with. */
  claimBlocks: async ({ clientKey, messages }) => {
    const { channels } = storage.repositories;
    const claim = (blocks) => channels.claimBlocks({ blocks, clientKey, keyId: "key" }, { uses: 3, within: 60_000 });
    const verdicts = await Promise.all(messages.map(claim));
    return messages.filter((_, index) => verdicts[index] === "first");
  },
  /** Tries once under each throttle key, several times at once. */
  attempt: ({ keys, times }) =>
    Promise.all(Array.from({ length: times }, () => storage.repositories.throttle.attempt(keys))),
};

// Starts when told, so that several processes work at the same moment.
process.send("ready");
process.once("message", async () => {
  const answer = await tasks[task](JSON.parse(input)).catch((error) => ({ error: error.code ?? String(error) }));
  await storage.close();
  process.send(answer, () => process.disconnect());
});
