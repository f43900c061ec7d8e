import type { Digest, RecordValue, Repositories } from "@sallyport/storage";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently, occurrences } from "../fixtures/concurrently.ts";
import { createAppKey } from "../fixtures/apps.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { minute } from "../fixtures/policy.ts";
import { rolledBack } from "../fixtures/rolled-back.ts";

/** Stores the state of a log-in at a provider for ten minutes. Returns its digest. */
async function begin(r: Repositories, value: RecordValue): Promise<Digest> {
  const digest = freshDigest();
  await r.records.put("providerState", digest, value, { lifetime: 10 * minute });
  return digest;
}

export const callbackChecks: readonly Check[] = checksOf("provider callbacks", {
  "admits a provider callback once, with the value of its state and its app key": async ({ r }) => {
    const { generation } = await r.model.load();
    const settings = { maintenance: false, modelGeneration: generation, settingsGeneration: 0 };
    const properties = { appNames: ["field", "office"], origins: ["https://app.example"] };
    const { appKey, digest: key } = await createAppKey(r, properties);
    await createAppKey(r);
    const value = { appKey: key, appNames: [...hostileTexts], deep: { list: [null, 1] } };
    const other = { appKey: key, other: true };
    const [state, bystander] = [await begin(r, value), await begin(r, other)];
    equal(await r.admission.admitCallback(state), { ...settings, state: value, appKey }, "the first callback");
    equal(await r.admission.admitCallback(state), { ...settings, state: null, appKey: null }, "the second callback");
    equal(await r.records.get("providerState", [state]), [], "the state after the callback");
    await r.appKeys.setEnabled(appKey.name, false);
    equal(
      await r.admission.admitCallback(bystander),
      { ...settings, state: other, appKey: { ...appKey, enabled: false } },
      "a callback with a disabled app key",
    );
  },

  "admits one of several concurrent callbacks with the same state": async ({ r }) => {
    const { digest: key } = await createAppKey(r);
    for (let round = 0; round < 4; round += 1) {
      const state = await begin(r, { appKey: key, round });
      const answers = await concurrently(12, async () => (await r.admission.admitCallback(state)).state);
      equal(occurrences(null, answers), 11, "number of refused callbacks");
      const again = await begin(r, { appKey: key, round });
      const admit = async () => (await r.admission.admitCallback(again)).state;
      const take = () => r.records.take("providerState", again);
      const mixed = await concurrently(12, (index) => (index % 2 === 0 ? admit() : take()));
      equal(occurrences(null, mixed), 11, "number of callbacks and takes without a result");
    }
  },

  "admits a callback by an unexpired state only": async ({ r, advance }) => {
    const { digest: key } = await createAppKey(r);
    const link = freshDigest();
    await r.records.put("accountLink", link, { appKey: key }, { lifetime: 10 * minute });
    for (const digest of [link, key, freshDigest()]) {
      const { state, appKey } = await r.admission.admitCallback(digest);
      equal([state, appKey], [null, null], "the result for a digest that is not a state");
    }
    equal(await r.records.take("accountLink", link), { appKey: key }, "a record of another kind");
    const [late, later] = [await begin(r, { appKey: key }), await begin(r, { appKey: key })];
    advance(10 * minute - 1_000);
    equal((await r.admission.admitCallback(late)).state, { appKey: key }, "a state shortly before its expiry");
    advance(1_000);
    const { state, appKey } = await r.admission.admitCallback(later);
    equal([state, appKey], [null, null], "an expired state");
  },

  "refuses callbacks during maintenance and keeps their state": async ({ r }) => {
    const { appKey, digest: key } = await createAppKey(r);
    const state = await begin(r, { appKey: key });
    await r.settings.setMaintenance(true);
    const closed = await r.admission.admitCallback(state);
    equal([closed.maintenance, closed.state, closed.appKey], [true, null, null], "the admission during maintenance");
    await r.settings.setMaintenance(false);
    const open = await r.admission.admitCallback(state);
    equal(
      [open.maintenance, open.state, open.appKey],
      [false, { appKey: key }, appKey],
      "the admission after maintenance",
    );
  },

  "returns exactly the app key named by the state": async ({ r }) => {
    await createAppKey(r);
    const values: RecordValue[] = ["text", 0, true, [], [freshDigest()], {}];
    const appKeys = [freshDigest(), null, 7, "", "no digest", ["x"]];
    for (const value of [...values, ...appKeys.map((appKey) => ({ appKey }))]) {
      const { state, appKey } = await r.admission.admitCallback(await begin(r, value));
      equal([state, appKey], [value, null], `the callback with ${JSON.stringify(value)}`);
    }
  },

  "rolls back the admission of a callback with its transaction": async ({ storage, r }) => {
    const state = await begin(r, { number: 1 });
    await rolledBack(storage, async (inside) =>
      equal((await inside.admission.admitCallback(state)).state, { number: 1 }, "the state inside the transaction"),
    );
    equal((await r.admission.admitCallback(state)).state, { number: 1 }, "the state after the rollback");
  },
});
