import { type ClaimedOrder, type Database, type Delivery, MailerUnusable, ServiceError } from "@sallyport/core";
import { MailRelay, type MailReports } from "./mail-relay.ts";

const trouble = new MailerUnusable("away", "not there");
const stuck: Delivery = { kind: "stuck", trouble, delay: 10_000 };

const waiting: Omit<ClaimedOrder, "id"> = {
  owner: null,
  value: { sealed: "", lifetime: 60_000, stuck: false },
  version: 1,
  born: 1,
  createdAt: 0,
  claims: 1,
  age: 0,
};

/** An outbox that gives out what it is told to, and a delivery that answers what it is told to. */
class Scene {
  now = 0;
  claims = 0;
  readonly queue: ClaimedOrder[] = [];
  readonly delivered: [string, Delivery["kind"]][] = [];
  readonly failures: unknown[] = [];
  outcome: (order: ClaimedOrder) => Promise<Delivery> = async () => ({ kind: "sent" });
  claimFails: unknown = null;
  private looks: (() => void)[] = [];
  private id = 0;

  readonly reports: MailReports = {
    delivered: (_alias, { id }, { kind }) => this.delivered.push([id, kind]),
    waiting: () => {
      for (const look of this.looks.splice(0)) look();
    },
    failed: (_alias, error) => {
      this.failures.push(error);
      for (const look of this.looks.splice(0)) look();
    },
  };

  readonly relay = new MailRelay({
    deliverMail: { run: (_desk, entry) => this.outcome(entry) },
    reports: this.reports,
    lease: 60_000,
    interval: 3_600_000,
    now: () => this.now,
  });

  put(count: number): this {
    for (let index = 0; index < count; index += 1) this.queue.push({ ...waiting, id: String((this.id += 1)) });
    return this;
  }

  start(): Promise<void> {
    const records = {
      claim: async (_kind: string, limit: number) => {
        this.claims += 1;
        if (this.claimFails !== null) throw this.claimFails;
        return this.queue.splice(0, limit);
      },
      count: async () => ({ count: this.queue.length, oldest: 0 }),
    };
    const database = { alias: "a", storage: { repositories: { records } } } as unknown as Database;
    return this.looked(() => this.relay.start(new Map([["a", database]])));
  }

  /** Does something, and resolves when the outbox was looked after. */
  looked(work: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.looks.push(resolve);
      work();
    });
  }
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

afterEach(() => scene.relay.stop());

test("what waits at the start is sent, in batches until nothing is left", async () => {
  await scene.put(12).start();
  expect([scene.delivered.length, scene.claims]).toEqual([12, 3]);
});

test("who rings is heard before the interval is over, also while others are at work", async () => {
  await scene.start();
  await scene.put(1).looked(() => scene.relay.ring("a"));
  expect(scene.delivered).toEqual([["1", "sent"]]);
  let release = () => {};
  scene.outcome = () =>
    new Promise((resolve) => {
      release = () => resolve({ kind: "sent" });
      scene.outcome = async () => ({ kind: "sent" });
      begun();
    });
  let begun = () => {};
  const working = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const first = scene.put(1).looked(() => scene.relay.ring("a"));
  await working;
  scene.relay.ring("a");
  release();
  await first;
  await scene.put(1).looked(() => {});
  expect(scene.delivered.map(([id]) => id)).toEqual(["1", "2", "3"]);
});

test("a transport that takes nothing has it rest for longer and longer, and a mail that gets through ends that", async () => {
  scene.outcome = async () => stuck;
  await scene.put(20).start();
  expect([scene.delivered.length, scene.claims]).toEqual([5, 1]);
  for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const { claims } = scene;
    scene.now += pause - 1;
    await scene.looked(() => scene.relay.ring("a"));
    expect(scene.claims).toBe(claims);
    scene.now += 1;
    await scene.put(1).looked(() => scene.relay.ring("a"));
    expect(scene.claims).toBe(claims + 1);
  }
  scene.now += 30_000;
  scene.outcome = async () => ({ kind: "later", reply: "450", delay: 10_000 });
  await scene.put(1).looked(() => scene.relay.ring("a"));
  scene.outcome = async () => stuck;
  await scene.put(1).looked(() => scene.relay.ring("a"));
  scene.now += 1_000;
  const { claims } = scene;
  await scene.looked(() => scene.relay.ring("a"));
  expect(scene.claims).toBe(claims + 1);
});

test("who stops waits for what is being sent and takes nothing more", async () => {
  let release = () => {};
  let begun = () => {};
  const working = new Promise<void>((resolve) => {
    begun = resolve;
  });
  scene.outcome = () =>
    new Promise((resolve) => {
      release = () => resolve({ kind: "sent" });
      begun();
    });
  void scene.put(1).start();
  await working;
  let stopped = false;
  const stopping = scene.relay.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect(stopped).toBe(false);
  scene.put(5);
  release();
  await stopping;
  expect([scene.delivered, scene.claims, scene.queue.length]).toEqual([[["1", "sent"]], 1, 5]);
});

test("an outbox that cannot be looked after is told, unless others tell it already, and tried again", async () => {
  scene.claimFails = new ServiceError(799);
  await scene.start();
  expect(scene.failures).toEqual([scene.claimFails]);
  scene.claimFails = null;
  await scene.put(1).looked(() => scene.relay.ring("a"));
  expect(scene.delivered).toHaveLength(1);
});
