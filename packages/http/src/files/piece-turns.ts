import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Pieces that are handled in one turn of the event loop. Each takes some tenths of a millisecond. */
const perTurn = 2;
/** Pieces, of 64 KiB at most, after which their memory is freed. */
const perCollection = 64;

let taken = 0;
const waiting: (() => void)[] = [];
let uncollected = 0;

/**
 * Resolves when the event loop may handle another piece of a file. With many transfers, all of them can be ready at once,
 * and other requests would wait for all of their pieces.
 */
export function turn(): Promise<void> | undefined {
  if (taken === 0) setImmediate(begin);
  taken += 1;
  if (taken <= perTurn) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function begin(): void {
  const next = waiting.splice(0, perTurn);
  uncollected += taken - waiting.length - next.length;
  taken = next.length + waiting.length;
  if (taken > 0) setImmediate(begin);
  if (uncollected > perCollection) {
    uncollected = 0;
    collectYoung();
  }
  for (const resolve of next) resolve();
}

let collector: ((options: { type: "minor" }) => void) | undefined;

/**
 * Frees the memory of pieces that were handled. They are garbage at once, but V8 starts by marking the whole heap when it
 * has 20 MiB of them: a third of the processor time of a transfer, in steps of up to 40 milliseconds.
 */
function collectYoung(): void {
  if (collector === undefined) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as typeof collector;
    setFlagsFromString("--no-expose-gc");
  }
  collector?.({ type: "minor" });
}
