import { setTimeout as pause } from "node:timers/promises";
import type { Storage } from "@sallyport/core";
import { codeOf } from "./sample.ts";
import { TcpRelay } from "./tcp-relay.ts";

export interface FrozenServerSubject {
  /** URL of the database server. */
  readonly url: string;
  /** A migrated storage over a pool of two connections to this URL, with a connect timeout of 30 s. */
  connect(url: string): Promise<Storage>;
}

/** A server that stops answering, as a frozen machine or an unplugged cable does. */
export function frozenServerSuite(subject: () => FrozenServerSubject): void {
  test("a frozen server fails pending requests with 704 within 5 s and later ones at once, until it answers again", async () => {
    const relay = new TcpRelay(new URL(subject().url));
    await relay.listen();
    const { repositories } = await subject().connect(relay.url);
    const count = () => codeOf(repositories.sessions.count());
    await Promise.all(Array.from({ length: 4 }, () => repositories.sessions.count()));
    relay.answer(false);
    const timed = async (delay: number) => {
      await pause(delay);
      const began = performance.now();
      return { code: await count(), milliseconds: performance.now() - began };
    };
    // More than the pool has connections, and some that start just before the server is found to be frozen.
    const pending = await Promise.all([0, 0, 0, 0, 600, 900, 1_500, 3_000].map(timed));
    for (const { code, milliseconds } of pending) {
      expect(code).toBe(704);
      expect(milliseconds).toBeLessThan(5_000);
    }
    const later = await timed(0);
    expect(later.code).toBe(704);
    expect(later.milliseconds).toBeLessThan(500);
    relay.answer(true);
    while ((await count()) === 704) await pause(50);
    await relay.refuse();
  }, 30_000);
}
