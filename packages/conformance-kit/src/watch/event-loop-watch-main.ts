import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { beats, type WatchedCells } from "./watched-cells.ts";
import { silenceWords } from "./silence-words.ts";

const { cells, names, silence, period } = workerData as WatchedCells;
/** A process that was stopped and goes on gets the time for a beat. */
const grace = 3 * period;

for (;;) {
  const last = Atomics.load(cells, beats);
  const silent = (milliseconds?: number) => Atomics.wait(cells, beats, last, milliseconds) === "timed-out";
  if (!silent(silence - grace) || !silent(grace)) continue;
  const running = Array.from(cells.subarray(beats + 1), (number) => names[number - 1]).filter(
    (name) => name !== undefined,
  );
  tell(silenceWords(running, silence));
  // Once is enough until the event loop goes on.
  silent();
}

function tell(line: string): void {
  try {
    // The main thread would have to have a turn for anything else.
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody reads.
  }
}
