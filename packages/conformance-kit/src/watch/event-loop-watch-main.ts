import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { beats, type WatchedCells } from "./watched-cells.ts";
import { blockedMessage } from "./blocked-message.ts";

const { cells, names, silence, period } = workerData as WatchedCells;
/** Milliseconds: gives a resumed process time for a heartbeat. */
const grace = 3 * period;

for (;;) {
  const last = Atomics.load(cells, beats);
  const silent = (milliseconds?: number) => Atomics.wait(cells, beats, last, milliseconds) === "timed-out";
  if (!silent(silence - grace) || !silent(grace)) continue;
  const running = Array.from(cells.subarray(beats + 1), (number) => names[number - 1]).filter(
    (name) => name !== undefined,
  );
  tell(blockedMessage(running, silence));
  // Reports once, then waits until the event loop continues.
  silent();
}

function tell(line: string): void {
  try {
    // Other writes would need the blocked main thread.
    writeSync(2, `${line}\n`);
  } catch {
    // The stderr pipe is closed.
  }
}
