import { setImmediate } from "node:timers/promises";
import type { CancellableRead, ClassDefinition, Repositories } from "@sallyport/storage";
import { countObjects, type ObjectContext } from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

describe("counting objects in time", () => {
  const person: ClassDefinition = {
    name: "Person",
    base: null,
    attributes: [{ name: "Name", type: "string" }],
    rights: [{ group: "A1", permissions: ["read"] }],
  };
  const query = { where: { Name: "Ada" } };

  let fixture: Fixture;
  let context: ObjectContext;
  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(person);
    context = await sessionContext(fixture, { groups: ["A1"] });
  });

  /** A time that ends on demand. */
  function time() {
    const calls = new Set<() => void>();
    let isOver = false;
    return {
      onTimeOver: (call: () => void) => {
        if (isOver) call();
        else calls.add(call);
        return () => calls.delete(call);
      },
      end: () => {
        isOver = true;
        for (const call of calls) call();
      },
      get subscribed() {
        return calls.size;
      },
    };
  }

  /** The context, over a storage with these counts. Each is given as a function of the limit, and of the subscription to the end. */
  function counting(count: (atMost: number | undefined, options: CancellableRead) => Promise<number>): ObjectContext {
    const { r } = context;
    const objects = new Proxy(r.objects, {
      get: (target, name) =>
        name === "count"
          ? (_query: unknown, options: CancellableRead, atMost?: number) => count(atMost, options)
          : Reflect.get(target, name),
    });
    return { ...context, r: { ...r, objects } as Repositories };
  }

  const inTime = (as: ObjectContext, { onTimeOver }: ReturnType<typeof time>) =>
    countObjects(as, { className: "Person", query, onTimeOver });

  test.each<readonly [what: string, counts: readonly number[], expected: number]>([
    ["few objects by one statement", [9_999], 9_999],
    ["many objects by a second one", [10_000, 1_234_567], 1_234_567],
  ])("counts %s", async (_what, counts, expected) => {
    const limits: (number | undefined)[] = [];
    const within = time();
    const of = counting(async (atMost) => {
      limits.push(atMost);
      return counts[limits.length - 1] as number;
    });
    expect(await inTime(of, within)).toEqual({ count: expected, capped: false });
    expect(limits).toEqual([10_000, undefined].slice(0, counts.length));
    expect(within.subscribed).toBe(0);
  });

  test.each<readonly [what: string, first: number | null, expected: number]>([
    ["nothing of a first part that is late", null, 0],
    ["the first part if the whole is late", 10_000, 10_000],
  ])("tells %s, and cancels the read", async (_what, first, expected) => {
    const within = time();
    const cancelled: unknown[] = [];
    const begun: (number | undefined)[] = [];
    const of = counting((atMost, { onCancel }) => {
      begun.push(atMost);
      if (atMost !== undefined && first !== null) return Promise.resolve(first);
      onCancel?.(() => cancelled.push(atMost));
      return new Promise(() => {});
    });
    const counted = inTime(of, within);
    const late = first === null ? 10_000 : undefined;
    while (begun.length === 0 || begun.at(-1) !== late) await setImmediate();
    within.end();
    expect(await counted).toEqual({ count: expected, capped: true });
    expect(cancelled).toEqual([late]);
  });

  test("survives the failure of a read that is cancelled", async () => {
    const within = time();
    const of = counting(
      (_atMost, { onCancel }) =>
        new Promise((_resolve, reject) => {
          onCancel?.(() => reject(new Error("cancelled")));
        }),
    );
    const counted = inTime(of, within);
    // The read subscribes before it is cancelled.
    while (within.subscribed < 2) await setImmediate();
    within.end();
    expect(await counted).toEqual({ count: 0, capped: true });
  });

  test("reports a failure in time", async () => {
    const failure = new Error("broken");
    await expect(
      inTime(
        counting(() => Promise.reject(failure)),
        time(),
      ),
    ).rejects.toBe(failure);
  });
});
