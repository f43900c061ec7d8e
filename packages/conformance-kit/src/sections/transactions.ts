import { type Repositories, seesAll, ServiceError } from "@sallyport/storage";
import { equal, isTrue, rethrows } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { pluck } from "../fixtures/lists.ts";
import { accountNamed, createUser } from "../fixtures/accounts.ts";
import { createAppName, storedAppNames } from "../fixtures/apps.ts";
import { concurrently, whileOpen } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { auditEvent, everyCall } from "../fixtures/every-call.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { StateFixture } from "../fixtures/state-fixture.ts";
import { rolledBack } from "../fixtures/rolled-back.ts";

const always = checksOf("transactions", {
  "commits all writes and returns the result of the work": async (subject) => {
    const fixture = await StateFixture.set(subject);
    const result = await subject.storage.transaction(async (r) => {
      await fixture.change(r);
      return fixture.look(r);
    });
    const seen = await fixture.look(subject.r);
    equal(seen, result, "the state, compared with that seen by the transaction");
    equal(
      [seen.maintenance, seen.ended, seen.opened, seen.waits, seen.audit],
      [true, false, true, true, 1],
      "the changed members",
    );
    equal(
      [seen.account, seen.appKey, seen.origin, seen.applications, seen.record],
      ["new", "new", true, ["new"], "new"],
      "the new members",
    );
    equal([seen.file, seen.lock], ["new", fixture.props.late.digest], "the changed and locked members");
    equal(seen.channel, fixture.props.secure.channel?.wrappedKey, "the wrapped key of the new channel");
  },

  "rolls back all writes if the work throws": async (subject) => {
    const fixture = await StateFixture.set(subject);
    const before = await fixture.look(subject.r);
    await rolledBack(subject.storage, (r) => fixture.change(r));
    equal(await fixture.look(subject.r), before, "the state");
  },

  "rethrows the error of the work unchanged": async ({ storage }) => {
    for (const error of [new Error("mine"), new ServiceError(302, { retryAfter: 7 }), new TypeError("mine, too")]) {
      const work = async (r: Repositories) => {
        await r.audit.append(auditEvent);
        throw error;
      };
      await rethrows(error, () => storage.transaction(work), "a transaction");
    }
    const atOnce = new RangeError("at once");
    const work = () => {
      throw atOnce;
    };
    await rethrows(atOnce, () => storage.transaction(work), "a transaction whose work throws at once");
  },

  "offers every call inside a transaction": async ({ storage, r }) => {
    for (const name of everyCall(r).keys())
      await storage.transaction(async (inside) => everyCall(inside).get(name)?.());
  },

  "refuses calls of a transaction and of a nested one behind its end": async ({ storage, r }) => {
    const late: (() => Promise<unknown>)[] = [];
    await storage.transaction(async (inside, attempt) => {
      await inside.audit.append(auditEvent);
      late.push(
        () => inside.audit.append(auditEvent),
        () => inside.audit.read(0, 1),
        () => attempt(() => inside.audit.append(auditEvent)),
      );
    });
    for (const call of late) isTrue((await codeOf(call())) > 0, "A call behind the end of its transaction must fail");
    equal((await r.audit.read(0, 10)).length, 1, "number of events");
  },

  "runs all calls that a transaction starts at once": async ({ storage, r }) => {
    const names = Array.from({ length: 12 }, (_, index) => `app ${index}`);
    await storage.transaction((inside) => Promise.all(names.map((name) => createAppName(inside, name))));
    equal((await storedAppNames(r, ...names)).toSorted(), names.toSorted(), "the app names");
  },

  "accepts work without calls": async ({ storage }) => {
    equal(await storage.transaction(async () => "nothing"), "nothing", "the result");
  },

  "hides the writes of an open transaction from others": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const before = await fixture.look(r);
    const seen = await whileOpen(
      storage,
      (inside) => fixture.change(inside),
      () => fixture.look(r),
      { end: "rolled back" },
    );
    equal(seen, before, "the state seen by others");
  },

  "shows a transaction the commits of others": async ({ storage, r }) => {
    const seen = await storage.transaction((inside) => storedAppNames(inside, "one", "two"));
    await createAppName(r, "one");
    await storage.transaction((inside) => createAppName(inside, "two"));
    const now = await storage.transaction((inside) => storedAppNames(inside, "one", "two"));
    equal([seen, now], [[], ["one", "two"]], "the app names before and after");
  },

  "continues after an outcome that is not an error": async (subject) => {
    const { storage, r } = subject;
    const { visitor, appKey, generation } = (await StateFixture.set(subject)).props;
    const { userId, loginName } = visitor.account;
    const outcomes = await storage.transaction(async (inside) => [
      await inside.accounts.create({ userId, loginName, secret: "", administrator: false }, "any"),
      await inside.appKeys.create({ name: appKey.name, appNames: null, origins: [] }, freshDigest()),
      await createAppName(inside, "one"),
      await createAppName(inside, "one"),
      await inside.model.change({ put: [] }, generation + 5),
      await inside.accounts.setSecret("ZZZZZZZZZZ", "", 1),
      await createAppName(inside, "two"),
    ]);
    equal(outcomes, ["nameTaken", "nameTaken", "created", "nameTaken", "stale", "stale", "created"], "the outcomes");
    equal(await storedAppNames(r, "one", "two"), ["one", "two"], "the existing app names");
  },

  "leaves no effects on later transactions after many failures": async ({ storage, r }) => {
    for (let round = 0; round < 40; round += 1) await rolledBack(storage, (inside) => createAppName(inside, "one"));
    const names = await storage.transaction((inside) => storedAppNames(inside, "one"));
    equal(names, [], "the app names seen by the next transaction");
    equal(await createAppName(r, "one"), "created", "the outcome of the next call");
  },

  "runs concurrent transactions, each as a whole": async ({ storage, r }) => {
    const names = await concurrently(16, async (index) => {
      const name = `app ${index}`;
      const work = async (inside: Repositories) => {
        await createAppName(inside, name);
        await inside.audit.append({ ...auditEvent, requestId: name });
        await inside.objects.insert([{ className: "File", attributes: { Name: name } }]);
      };
      if (index % 4 === 3) await rolledBack(storage, work);
      else await storage.transaction(work);
      return name;
    });
    const committed = names.filter((_, index) => index % 4 !== 3).toSorted();
    equal(await storedAppNames(r, ...names), committed, "the app names");
    equal(pluck(await r.audit.read(0, 100), "requestId").toSorted(), committed, "the audit");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), committed.length, "number of objects");
  },

  "loses no concurrent increment of a counter": async ({ storage, r }) => {
    const { loginName, userId } = await createUser(r, { secret: "0" });
    await concurrently(8, async (worker) => {
      let stored = false;
      for (let attempt = 0; !stored && attempt < 50; attempt += 1) {
        stored = await storage.transaction(async (inside) => {
          const account = await accountNamed(inside, loginName);
          isTrue(account !== null, "The account must exist");
          const secret = String(Number(account.secret) + 1);
          const outcome = await inside.accounts.setSecret(userId, secret, account.secretVersion);
          if (outcome === "stored") await inside.audit.append({ ...auditEvent, requestId: String(worker) });
          return outcome === "stored";
        });
      }
    });
    equal((await accountNamed(r, loginName))?.secret, "8", "the counter");
    equal((await r.audit.read(0, 100)).length, 8, "number of recorded changes");
  },

  "retries deadlocked transactions without duplicate effects": async ({ storage, r }) => {
    for (let round = 0; round < 2; round += 1) {
      const [one, other] = [await createUser(r), await createUser(r)];
      const before = (await r.audit.read(0, 1_000)).length;
      const started = new Set<string>();
      const runs = new Map<string, number>();
      const deadlock = (name: string, first: string, second: string) =>
        storage.transaction(async (inside) => {
          runs.set(name, (runs.get(name) ?? 0) + 1);
          await inside.audit.append({ ...auditEvent, requestId: name });
          await inside.accounts.change(first, { disabled: true });
          started.add(name);
          // Lets the other transaction lock its first row, if both can run concurrently.
          for (let turn = 0; turn < 100 && started.size < 2; turn += 1) await inside.audit.read(0, 1);
          await inside.accounts.change(second, { disabled: true });
        });
      await Promise.all([deadlock("forth", one.userId, other.userId), deadlock("back", other.userId, one.userId)]);
      const events = pluck((await r.audit.read(0, 1_000)).slice(before), "requestId");
      equal(events.toSorted(), ["back", "forth"], "the events");
      for (const [name, times] of runs) isTrue(times <= 3, `The work of "${name}" has run ${times} times`);
    }
  },
});

const parallel = checksOf(
  "transactions",
  {
    "completes transactions while another one with different writes is open": async ({ storage, r }) => {
      const seen = await whileOpen(
        storage,
        (inside) => createAppName(inside, "open"),
        async () => {
          await storage.transaction((inside) => createAppName(inside, "ended"));
          return storedAppNames(r, "open", "ended");
        },
        // Enough for the slowest commit of another transaction.
        { reads: 20_000 },
      );
      equal(seen, ["ended"], "the state seen during the first transaction");
      equal(await storedAppNames(r, "open", "ended"), ["ended", "open"], "the state after all transactions");
    },
  },
  { needs: "parallelTransactions" },
);

export const transactionChecks: readonly Check[] = [...always, ...parallel];
