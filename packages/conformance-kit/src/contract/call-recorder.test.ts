import type { Repositories, Storage } from "@sallyport/core";
import { CallRecorder } from "./call-recorder.ts";

class Sessions {
  readonly #live = 3;

  async count(): Promise<number> {
    return this.#live;
  }
}

const repositories = Object.freeze({ sessions: Object.freeze(new Sessions()) }) as unknown as Repositories;

const storage = Object.freeze({
  capabilities: { durable: false },
  repositories,
  transaction: (work: (r: Repositories) => Promise<unknown>) => work(repositories),
  now: async () => 7,
}) as unknown as Storage;

test("notes each call once, the last one last, and changes nothing", async () => {
  const recorder = new CallRecorder();
  const noted = recorder.storage(storage);
  expect(await noted.repositories.sessions.count()).toBe(3);
  expect(await noted.now()).toBe(7);
  expect(await noted.transaction((r) => r.sessions.count())).toBe(3);
  expect(noted.capabilities).toBe(storage.capabilities);
  expect(recorder.calls).toEqual(["storage.now", "storage.transaction", "sessions.count"]);
});

test("gives one thing for one thing", () => {
  const recorder = new CallRecorder();
  const noted = recorder.storage(storage);
  expect(recorder.storage(storage)).toBe(noted);
  expect(noted.repositories).toBe(noted.repositories);
  expect(noted.repositories.sessions).toBe(noted.repositories.sessions);
});
