import { randomUUID } from "node:crypto";
import { faultsAt } from "./fault-table.ts";
import { define } from "./macro-operations.ts";
import { named } from "./object-operations.ts";
import type { Request } from "./fault-fixture.ts";
import { onFaultyServers } from "./on-faulty-servers.ts";

/** Milliseconds for some hundreds of requests on a busy machine. */
const timeout = 300_000;

const creation = (Name: string) => ({ method: "POST", path: "/v1/object/Customer", data: { Name } });
const execution = (name: string) => ({ method: "POST", path: "/v1/execute/CreateOne", data: name });

type Content = Pick<Request, "path"> & { readonly body: (name: string) => unknown; readonly count: number };

const requests: readonly (readonly [title: string, content: Content])[] = [
  ["a creation", { path: "/v1/object/Customer", body: (Name) => ({ Name }), count: 1 }],
  ["a macro", { path: "/v1/execute/CreateTwo", body: (name) => name, count: 2 }],
  ["a macro without a transaction", { path: "/v1/execute/CreateInPieces", body: (name) => name, count: 1 }],
  ["a multi request", { path: "/v1/multi", body: (name) => [creation(name), execution(name)], count: 2 }],
  [
    "an atomic multi request",
    { path: "/v1/multi?atomic=true", body: (name) => [creation(name), execution(name)], count: 2 },
  ],
];

/** For every storage fault: a request with a key that is repeated afterwards succeeds and has one effect. */
onFaultyServers("repeated requests at a failing storage", (fixture) => {
  test.each(requests)(
    "%s that is repeated with its key has one effect",
    async (_title, { path, body, count }) => {
      await define(fixture());
      const { script, storage, send } = fixture();
      const once = (key: string) =>
        send({ method: "POST", path, body: body(key) as object, headers: { "idempotency-key": key } });
      const isDone = ({ code, data }: Awaited<ReturnType<typeof once>>) =>
        code === 0 && (!Array.isArray(data) || data.every(({ httpStatus }) => httpStatus === 200));
      await once(randomUUID());
      const { length: calls } = await script.record(() => once(randomUUID()));
      const wrong: unknown[] = [];
      let injected = 0;
      for (let nth = 1; nth <= calls; nth += 1) {
        for (const row of faultsAt(nth)) {
          const key = randomUUID();
          const scripted = script.add({ call: () => true, nth, fault: row.fault() });
          const first = await once(key);
          script.clear();
          injected += scripted.injections > 0 ? 1 : 0;
          const before = await named(storage, key);
          const again = await once(key);
          const kept = await named(storage, key);
          const isRight = isDone(again) && kept === count && (!isDone(first) || before === count);
          if (!isRight) wrong.push({ nth, fault: row.title, codes: [first.code, again.code], before, kept });
        }
      }
      expect(wrong).toEqual([]);
      expect(injected).toBeGreaterThan(calls * 3);
    },
    timeout,
  );
});
