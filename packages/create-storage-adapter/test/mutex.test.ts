import { fileURLToPath } from "node:url";

interface Mutex {
  run<T>(work: () => Promise<T>, patience?: number): Promise<T>;
}
const { Turns: Mutex } = (await import(fileURLToPath(new URL("../template/src/mutex.js", import.meta.url)))) as {
  Turns: new () => Mutex;
};

test("work happens in the order of arrival, whatever fails or gives up waiting", async () => {
  const turns = new Mutex();
  const log: string[] = [];
  let finish = () => {};
  const first = turns.run(async () => {
    log.push("first");
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    log.push("first is over");
  });
  const impatient = turns.run(async () => void log.push("never"), 1);
  const failing = turns.run(async () => {
    log.push("third");
    throw new Error("mine");
  });
  const last = turns.run(async () => log.push("last"));
  await expect(impatient).rejects.toMatchObject({ code: 607 });
  finish();
  await expect(failing).rejects.toThrow("mine");
  await Promise.all([first, last]);
  expect(log).toEqual(["first", "first is over", "third", "last"]);
});
