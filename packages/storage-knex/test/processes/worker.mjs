// Works on a storage as another process of the service would: `worker.mjs <url> <schema> <task> <input>`.
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";

const [url, schema, task, input] = process.argv.slice(2);
const limits = { max: 4, acquireTimeout: 20_000, maxPendingAcquires: 1_000 };
const { knex, close } = createPostgresKnex({ url, pool: limits, connectTimeout: 10_000, statementTimeout: 30_000 });
const storage = new KnexStorage({ knex, schema, onClose: close });

const tasks = {
  migrate: () => storage.migrate(),
  /** Opens the sessions given, in transactions and without one by turns, and answers how each ended. */
  openSessions: ({ sessions, policy }) =>
    Promise.all(
      sessions.map((session, index) =>
        index % 2 === 0
          ? storage.repositories.sessions.open(session, policy)
          : storage.transaction((r) => r.sessions.open(session, policy)),
      ),
    ),
  /** Tries once under each throttle key, several times at once. */
  attempt: ({ keys, times }) => Promise.all(Array.from({ length: times }, () => storage.repositories.throttle.attempt(keys))),
};

// Starts when told, so that several processes work at the same moment.
process.send("ready");
process.once("message", async () => {
  const answer = await tasks[task](JSON.parse(input)).catch((error) => ({ error: error.code ?? String(error) }));
  await storage.close();
  process.send(answer, () => process.disconnect());
});
