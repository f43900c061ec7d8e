import { objectNumber, seesAll } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { equal, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed } from "../fixtures/accounts.ts";
import { changesUpTo, watermarkBehind } from "../fixtures/changes-up-to.ts";
import { createObject, idsOf } from "../fixtures/objects.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { unlimitedSessions, hour } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

const throttleKey = { key: "a", policy: { maxFailures: 1, initialDelay: hour, maxDelay: hour, resetAfter: hour } };

export const durabilityChecks: readonly Check[] = checksOf(
  "durability",
  {
    "is healthy after it is reopened without another migration": async ({ storage, reopen }) => {
      await storage.close();
      const again = await reopen();
      await again.health();
      equal(await again.migrate(), { applied: [] }, "the migrations applied again");
    },

    "keeps every answered write after it is reopened": async ({ storage, r, reopen }) => {
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
        "whether the ended session is admitted",
      );
      equal(await repositories.objects.get([object.id], seesAll), [object], "the object");
      equal(await repositories.channels.acceptIn(session, 5n), "seen", "the verdict on an earlier accepted number");
      equal((await repositories.locks.state(object.id))?.session, session, "the session that holds the lock");
      equal((await repositories.records.get("sample", ["one"]))[0]?.value, { kept: true }, "the record");
      isTrue((await repositories.throttle.attempt([throttleKey])).wait > 0, "The delay must continue");
      equal((await repositories.audit.read(0, 10)).length, 1, "number of events");
      equal(await new Applications(repositories.records).existing(["app"]), ["app"], "the write of the transaction");
      equal(await repositories.sessions.count(), 1, "number of live sessions");
    },

    "continues its sequences after it is reopened": async ({ storage, r, reopen }) => {
      const visitor = await Visitor.create(r);
      const session = await visitor.openSecure(r);
      const before = await createObject(r);
      await r.channels.reserveOut(session, 10);
      const watermark = await watermarkBehind(r, [before.id]);
      const { generation } = await r.model.load();
      await storage.close();

      const { repositories } = await reopen();
      isTrue((await repositories.objects.watermark()) >= watermark, "The watermark must not decrease");
      const after = await createObject(repositories);
      isTrue(objectNumber(after.id) > objectNumber(before.id), `The ID ${after.id} must be after ${before.id}`);
      const changes = await changesUpTo(repositories, await watermarkBehind(repositories, [after.id]), {
        stamp: watermark,
        id: null,
      });
      equal(idsOf(changes), [after.id], "the IDs of the objects changed since");
      equal(await repositories.channels.reserveOut(session, 1), 10n, "the next number of the channel");
      equal((await repositories.model.load()).generation, generation, "the generation of the model");
      await repositories.sessions.open(visitor.newSession(), { ...unlimitedSessions, limit: 2 });
      equal(await repositories.sessions.count(), 2, "number of live sessions");
    },
  },
  { needs: "durable" },
);
