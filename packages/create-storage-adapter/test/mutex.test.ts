import { fileURLToPath } from "node:url";

interface Mutex {
  run<T>(work: () => Promise<T>, waitTimeout?: number): Promise<T>;
}
const { Mutex } = (await import(fileURLToPath(new URL("../template/src/mutex.js", import.meta.url)))) as {
  Mutex: new () => Mutex;
};

test("runs work in order of arrival despite failures and abandoned waits", async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  let finish = () => {};
  const first = mutex.run(async () => {
    log.push("first");
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    log.push("first is over");
  });
  const timedOut = mutex.run(async () => void log.push("never"), 1);
  const failing = mutex.run(async () => {
    log.push("third");
    throw new Error("mine");
  });
  const last = mutex.run(async () => log.push("last"));
  await expect(timedOut).rejects.toMatchObject({ code: 607 });
  finish();
  await expect(failing).rejects.toThrow("mine");
  await Promise.all([first, last]);
  expect(log).toEqual(["first", "first is over", "third", "last"]);
});
