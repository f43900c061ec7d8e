import { Places } from "./guarded-client.ts";

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function held() {
  let release = () => {};
  const done = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, work: () => done };
}

test("work beyond the places waits in its order, and more than that is refused", async () => {
  const places = new Places({ concurrency: 1, waiting: 2 });
  const order: string[] = [];
  const first = held();
  const run = (name: string, work: () => Promise<unknown>) => places.run(async () => (order.push(name), work()), never);
  const all = [run("first", first.work), run("second", async () => {}), run("third", async () => {})];
  await expect(run("fourth", async () => {})).rejects.toMatchObject({ code: 706, retryAfter: 5 });
  expect(order).toEqual(["first"]);
  first.release();
  await Promise.all(all);
  expect(order).toEqual(["first", "second", "third"]);
});

test("who waits for longer than his time leaves, and others take his turn", async () => {
  const places = new Places({ concurrency: 1, waiting: 2 });
  const first = held();
  const leaving = new AbortController();
  const running = places.run(first.work, never);
  const left = places.run(async () => "never", leaving.signal);
  const next = places.run(async () => "next", never);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 706 });
  await expect(places.run(async () => "late", AbortSignal.abort())).rejects.toMatchObject({ code: 706 });
  first.release();
  await running;
  expect(await next).toBe("next");
  expect(await places.run(async () => "free again", never)).toBe("free again");
});

test("work that fails gives its place back", async () => {
  const places = new Places({ concurrency: 1, waiting: 0 });
  await expect(places.run(() => Promise.reject(new Error("failed")), never)).rejects.toThrow("failed");
  expect(await places.run(async () => 1, never)).toBe(1);
});
