import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@sallyport/core";

/** Waits until pulls contain all writes so far. On Postgres, an open transaction of any database delays them. */
export async function settled({ storage }: Database): Promise<void> {
  const { changes, model } = storage.repositories;
  const classes = (await model.load()).classes.map(({ name }) => name);
  for (;;) {
    const after = { stamp: await changes.watermark(), id: null };
    const hidden = await changes.read({ classes, after, upTo: Number.MAX_SAFE_INTEGER, limit: 1 });
    if (hidden.changes.length === 0) return;
    await pause(5);
  }
}
