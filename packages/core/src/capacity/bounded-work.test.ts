import { BoundedQueue } from "./bounded-work.ts";

const detail = "Too much work waits.";

/** Work that runs until it is ended. */
class Controlled {
  readonly started: number[] = [];
  private readonly ends: ((error?: Error) => void)[] = [];

  work(id: number): () => Promise<number> {
    return () => {
      this.started.push(id);
      return new Promise((resolve, reject) => {
        this.ends[id] = (error) => (error === undefined ? resolve(id) : reject(error));
      });
    };
  }

  end(id: number, error?: Error): void {
    this.ends[id]?.(error);
  }
}

test("a bounded queue runs the allowed number at once, in the order of arrival", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 2, queueLimit: 10, detail });
  const runs = [0, 1, 2, 3].map((id) => queue.run(controlled.work(id)));
  expect(controlled.started).toEqual([0, 1]);
  controlled.end(1);
  await runs[1];
  expect(controlled.started).toEqual([0, 1, 2]);
  controlled.end(0);
  await runs[0];
  expect(controlled.started).toEqual([0, 1, 2, 3]);
  controlled.end(2);
  controlled.end(3);
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
});

test("a bounded queue refuses work with 706 while it is full, and accepts work again when there is room", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1));
  await expect(queue.run(controlled.work(2))).rejects.toMatchObject({ code: 706, detail, retryAfter: 1 });
  controlled.end(0);
  await first;
  const third = queue.run(controlled.work(3));
  controlled.end(1);
  await second;
  expect(controlled.started).toEqual([0, 1, 3]);
  controlled.end(3);
  expect(await third).toBe(3);
});

test("a bounded queue passes an error on and frees the slot", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1));
  controlled.end(0, new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  controlled.end(1);
  expect(await second).toBe(1);
});

test("a bounded queue refuses work whose signal aborts while it waits, and starts the next one", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({
    concurrency: 1,
    queueLimit: 2,
    detail,
    abortedDetail: "It took too long.",
    retryAfter: 5,
  });
  const aborted = { code: 706, detail: "It took too long.", retryAfter: 5 };
  const leaving = new AbortController();
  const first = queue.run(controlled.work(0), new AbortController().signal);
  const left = queue.run(controlled.work(1), leaving.signal);
  const next = queue.run(controlled.work(2), new AbortController().signal);
  await expect(queue.run(controlled.work(3), AbortSignal.abort())).rejects.toMatchObject({ code: 706, detail });
  leaving.abort();
  await expect(left).rejects.toMatchObject(aborted);
  await expect(queue.run(controlled.work(4), AbortSignal.abort())).rejects.toMatchObject(aborted);
  controlled.end(0);
  await first;
  controlled.end(2);
  expect(await next).toBe(2);
  expect(controlled.started).toEqual([0, 2]);
  expect(await queue.run(async () => "free again")).toBe("free again");
});

test("a bounded queue ignores a signal that aborts after the work began", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const leaving = new AbortController();
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1), leaving.signal);
  controlled.end(0);
  await first;
  const third = queue.run(controlled.work(2));
  leaving.abort();
  controlled.end(1);
  expect(await second).toBe(1);
  controlled.end(2);
  expect(await third).toBe(2);
});
