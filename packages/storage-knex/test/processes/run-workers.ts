import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EngineDatabase } from "../engines/on-engines.ts";

const worker = fileURLToPath(new URL("worker.mjs", import.meta.url));

/**
 * Passes each input to a separate process, starts all at the same time, and returns their answers in order. The schema is
 * that of Postgres or the database of MariaDB.
 */
export async function runWorkers(
  url: string,
  task: string,
  inputs: readonly unknown[],
  schema = "test",
): Promise<unknown[]> {
  const children = inputs.map((input) => fork(worker, [url, schema, task, JSON.stringify(input)], { execArgv: [] }));
  await Promise.all(children.map((child) => once(child, "message")));
  return Promise.all(
    children.map(async (child) => {
      const exit = once(child, "exit");
      const answer = once(child, "message");
      child.send("go");
      const [message] = (await answer) as [unknown];
      await exit;
      return message;
    }),
  );
}

/** Opens sessions in three concurrent processes. Returns all codes. */
export async function openInProcesses(
  { url, schema }: Pick<EngineDatabase, "url" | "schema">,
  policy: object,
  sessions: (process: number) => readonly object[],
): Promise<unknown[]> {
  const inputs = [0, 1, 2].map((process) => ({ policy, sessions: sessions(process) }));
  return (await runWorkers(url, "openSessions", inputs, schema)).flat();
}

/** How many outcomes are this one. */
export const times = (outcomes: readonly unknown[], outcome: unknown): number =>
  outcomes.filter((each) => each === outcome).length;
