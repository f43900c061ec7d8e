import { jest } from "@jest/globals";
import { type Filter, seesAll } from "@sallyport/storage";
import { administrationOf, MacroStore, setLimits } from "@sallyport/core";
import { syncPushFixture } from "./push-fixture.ts";
import { onEngines } from "../engines.ts";

/** Settings of the server. */
const syncHookEnvironment = {
  DEBUG_MESSAGES: "true",
  MULTI_TIMEOUT: "1s",
  MACRO_TIMEOUT: "20s",
  MACRO_CPU_TIME: "10s",
};

/** Pushes that meet hooks, request rates and the time limit. */
onEngines(
  "pushes with hooks",
  (server) => {
    const { task, database, repositories, push, pushed, create, stored, sentPut, deletion } = syncPushFixture(
      server,
      "session",
    );
    const hooks = ["TaskRules", "TaskTrace", "TaskKeep"];

    const putHook = async (name: string, on: string, run: string) => {
      const text = `import { defineHook, refuse } from "@sallyport/macros";
      export default defineHook({ on: "${on}", classes: ["${task}"], async run({ object }, { objects }) { ${run} } });`;
      await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
    };
    afterEach(async () => {
      for (const name of hooks)
        await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
    });
    const codes = (results: readonly { readonly internalStatus: string }[]) =>
      results.map(({ internalStatus }) => Number(internalStatus));

    const rules = `
    if (object.Title === "refused") refuse(307, "No.");
    if (object.Title === "broken") null.x;
    object.Title = object.Title.trim();`;

    test("a hook before a save changes, refuses and breaks changes, and no other", async () => {
      await putHook("TaskRules", "beforeSave", rules);
      const known = await create({ Title: "known", Count: 1 });
      const ops = [
        sentPut({ Title: " trimmed " }),
        sentPut({ Title: "refused" }),
        sentPut({ Title: "broken" }),
        sentPut(
          { Title: " known, too", Count: 2 },
          { uuid: known, syncVersion: "1", base: { Title: "known", Count: 1 } },
        ),
        sentPut({ Title: "plain" }),
      ];
      const results = await pushed(ops);
      expect(codes(results)).toEqual([0, 307, 710, 0, 0]);
      // The device learns what the hook has made of its values.
      const titles = results.map(({ object }) => object?.Title);
      expect(titles).toEqual(["trimmed", undefined, undefined, "known, too", "plain"]);
      expect(await stored(known)).toMatchObject({ version: 2, attributes: { Title: "known, too", Count: 2 } });
      for (const refused of [ops[1], ops[2]]) expect(await stored(refused?.uuid ?? "")).toBeUndefined();
      // A refusal is final for its id. A broken change is executed again.
      await new MacroStore(repositories()).remove("TaskRules", { changedBy: "test", expectedVersion: null });
      expect(codes(await pushed(ops))).toEqual([0, 307, 0, 0, 0]);
    });

    test("a hook that refuses a change of an atomic push undoes all, and names the change", async () => {
      await putHook("TaskRules", "beforeSave", rules);
      const ops = [sentPut({ Title: "first" }), sentPut({ Title: "refused" })];
      const { status, code, body } = await push(ops, { atomic: true });
      expect([status, code, body.status.debugMessage]).toEqual([400, "307", "at /ops/1: No."]);
      expect(await stored(ops[0]?.uuid ?? "")).toBeUndefined();
    });

    test("the writes of a hook after a save share the fate of its change", async () => {
      await putHook(
        "TaskTrace",
        "afterSave",
        `if (object.Title.startsWith("trace of")) return;
       await objects.create("${task}", { Title: "trace of " + object.Title });
       if (object.Title === "refused") refuse(404, "After all.");`,
      );
      const countOf = (title: string) => {
        const path = { hops: [], leaf: "Title", type: "string" } as const;
        const filter: Filter = { kind: "oneOf", path, values: [title] };
        return repositories().objects.count({ classes: [task], filter }, seesAll);
      };
      const ops = [sentPut({ Title: "traced" }), sentPut({ Title: "refused" })];
      const answer = await push(ops);
      expect(codes(answer.body.data.results)).toEqual([0, 404]);
      expect([await countOf("trace of traced"), await countOf("trace of refused")]).toEqual([1, 0]);
      expect(answer.body.data.changed.map(({ Title }: { Title: string }) => Title)).toContain("trace of traced");
      await pushed(ops);
      expect(await countOf("trace of traced")).toBe(1);
    });

    test("a hook before a deletion can refuse it", async () => {
      await putHook("TaskKeep", "beforeDelete", `if (object.Title === "kept") refuse(404, "Keep it.");`);
      const [kept, gone] = [await create({ Title: "kept" }), await create({ Title: "gone" })];
      expect(codes(await pushed([deletion(kept), deletion(gone)]))).toEqual([404, 0]);
      expect(await stored(kept)).toMatchObject({ version: 1 });
      expect(await stored(gone)).toBeUndefined();
    });

    test("a push continues under a model that changes during the request", async () => {
      const { storage } = database();
      const { model } = repositories();
      const transaction = storage.transaction.bind(storage);
      const spied = jest.spyOn(storage, "transaction").mockImplementationOnce(async (work) => {
        const { generation } = await model.load();
        await model.change({ put: [{ name: "AddedDuringPush", base: null, attributes: [], rights: [] }] }, generation);
        return transaction(work);
      });
      const ops = [sentPut({ Title: "first" }), sentPut({ Title: "second" })];
      expect(codes(await pushed(ops))).toEqual([0, 0]);
      expect(spied.mock.calls.length).toBeGreaterThan(1);
      spied.mockRestore();
    });

    test("changes after the time limit wait for the next push", async () => {
      await putHook(
        "TaskRules",
        "beforeSave",
        `if (object.Title === "slow") for (const end = Date.now() + 1_500; Date.now() < end; );`,
      );
      const ops = [sentPut({ Title: "slow" }), sentPut({ Title: "late" }), sentPut({ Title: "later" })];
      expect(codes(await pushed(ops))).toEqual([0, 706, 706]);
      expect(await stored(ops[1]?.uuid ?? "")).toBeUndefined();
      expect(codes(await pushed(ops))).toEqual([0, 0, 0]);
    });

    test("each change counts as a request of a rate", async () => {
      const setRate = (perMinute: number | null) =>
        setLimits(
          administrationOf(database()),
          new Map([
            ["rates.session.perMinute", perMinute],
            ["rates.session.burst", perMinute === null ? null : 4],
          ]),
        );
      const ops = Array.from({ length: 7 }, (_, index) => sentPut({ Title: `counted ${index}` }));
      await setRate(1);
      const first = await push(ops);
      const second = await push([]);
      await setRate(null);
      expect(codes(first.body.data.results)).toEqual([0, 0, 0, 0, 800, 800, 800]);
      expect([second.status, second.code, Number(second.headers["retry-after"]) > 0]).toEqual([429, "800", true]);
      // The refused changes keep their ids.
      expect(codes(await pushed(ops))).toEqual([0, 0, 0, 0, 0, 0, 0]);
    });
  },
  { environment: syncHookEnvironment },
);
