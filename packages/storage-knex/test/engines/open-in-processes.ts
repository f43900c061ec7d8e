import { runWorkers } from "../processes/run-workers.ts";
import type { EngineDatabase } from "./on-engines.ts";

/** Opens sessions in three concurrent processes. Returns all codes. */
export async function openInProcesses(
  { url, schema }: Pick<EngineDatabase, "url" | "schema">,
  policy: object,
  sessions: (process: number) => readonly object[],
): Promise<unknown[]> {
  const inputs = [0, 1, 2].map((process) => ({ policy, sessions: sessions(process) }));
  return (await runWorkers(url, "openSessions", inputs, schema)).flat();
}

export const times = (outcomes: readonly unknown[], outcome: unknown): number =>
  outcomes.filter((each) => each === outcome).length;
