import { objectNumber, seesAll, Applications } from "@sallyport/core";
import { equal, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed } from "../fixtures/accounts.ts";
import { changesUpTo, watermarkBehind } from "../fixtures/changes-up-to.ts";
import { createObject, idsOf } from "../fixtures/objects.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { generous, hour } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

const throttleKey = { key: "a", policy: { maxFailures: 1, initialDelay: hour, maxDelay: hour, resetAfter: hour } };

export const durabilityChecks: readonly Check[] = checksOf(
  "durability",
  {
    "is healthy when it is opened again, without another migration": async ({ storage, reopen }) => {
      await storage.close();
      const again = await reopen();
      await again.health();
      equal(await again.migrate(), { applied: [] }, "what another migration applies");
    },

    "keeps everything that was answered": async ({ storage, r, reopen }) => {
      const visitor = await Visitor.create(r);
      const session = await visitor.openSecure(r);
      const object = await createObject(r, { attributes: { Name: "kept", Size: 7 } });
      await r.channels.acceptIn(session, 5n);
      await r.locks.take(object.id, session);
      await r.records.put("sample", "one", { kept: true });
      await r.throttle.fail([throttleKey]);
      await r.audit.append(auditEvent);
      await storage.transaction((inside) => new Applications(inside.records).create({ name: "app", seats: null }));
      await storage.close();

      const { repositories } = await reopen();
      const { loginName, userId } = visitor.account;
      equal((await accountNamed(repositories, loginName))?.userId, userId, "the user of the account");
      equal(
        (await visitor.admitAs(repositories, "secure", session)).session === null,
        false,
        "whether the session is gone",
      );
      equal(await repositories.objects.get([object.id], seesAll), [object], "the object");
      equal(
        await repositories.channels.acceptIn(session, 5n),
        "seen",
        "the verdict on a number that was accepted before",
      );
      equal((await repositories.locks.state(object.id))?.session, session, "who holds the lock");
      equal((await repositories.records.get("sample", ["one"]))[0]?.value, { kept: true }, "the record");
      holds((await repositories.throttle.attempt([throttleKey])).wait > 0, "The delay goes on");
      equal((await repositories.audit.read(0, 10)).length, 1, "how many events there are");
      equal(await new Applications(repositories.records).known(["app"]), ["app"], "what was kept by the transaction");
      equal(await repositories.sessions.count(), 1, "how many sessions are live");
    },

    "goes on with its numbers": async ({ storage, r, reopen }) => {
      const visitor = await Visitor.create(r);
      const session = await visitor.openSecure(r);
      const before = await createObject(r);
      await r.channels.reserveOut(session, 10);
      const watermark = await watermarkBehind(r, [before.id]);
      const { generation } = await r.model.load();
      await storage.close();

      const { repositories } = await reopen();
      holds((await repositories.changes.watermark()) >= watermark, "The watermark does not go back");
      const after = await createObject(repositories);
      holds(objectNumber(after.id) > objectNumber(before.id), `The id ${after.id} comes after ${before.id}`);
      const told = await changesUpTo(repositories, await watermarkBehind(repositories, [after.id]), {
        stamp: watermark,
        id: null,
      });
      equal(idsOf(told), [after.id], "the ids of what has changed since");
      equal(await repositories.channels.reserveOut(session, 1), 10n, "the next number of the channel");
      equal((await repositories.model.load()).generation, generation, "the generation of the model");
      await repositories.sessions.open(visitor.newSession(), { ...generous, limit: 2 });
      equal(await repositories.sessions.count(), 2, "how many sessions are live");
    },
  },
  { needs: "durable" },
);
