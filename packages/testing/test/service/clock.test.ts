import { type Agent, startTestService, type TestService } from "@sallyport/testing";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";

const engines = ["memory", "Postgres"] as const;

describe("clock", () => {
  describe.each(engines)("on %s", (engine) => {
    let service: TestService;
    let postgres: Awaited<ReturnType<typeof startRealPostgres>> | undefined;

    beforeAll(async () => {
      postgres = engine === "memory" ? undefined : await startRealPostgres();
      const storage = postgres === undefined ? "memory" : { postgres: postgres.url };
      const user = { maxFailures: 3, maxDelay: "10m" };
      service = await startTestService({ databases: { "": "demo" }, storage, configuration: { throttle: { user } } });
    });
    beforeEach(() => service.reset());
    afterAll(async () => {
      await service.close();
      await postgres?.stop();
    });

    const codeOf = async (agent: Agent): Promise<number> =>
      Number((await agent.get("/_CheckSession")).body.status.internalStatus);

    test("moves the clock of the service", () => {
      const before = service.clock.now();
      service.clock.advance("2 days");
      expect(service.clock.now() - before - 2 * 86_400_000).toBeLessThan(60_000);
      for (const wrong of ["2 fortnights", "-1 h", "", 0, Number.NaN])
        expect(() => service.clock.advance(wrong)).toThrow("not a duration");
    });

    test("ends an idle session", async () => {
      const demo = service.as("demo");
      expect(await codeOf(demo)).toBe(0);
      service.clock.advance("29 min");
      expect(await codeOf(demo)).toBe(0);
      service.clock.advance("31 min");
      expect(await codeOf(demo)).toBe(201);
    });

    test("ends the session of a token", async () => {
      const demo = service.as("demo", { mode: "token" });
      for (let hours = 0; hours < 11.5; hours += 0.5) {
        expect(await codeOf(demo)).toBe(0);
        service.clock.advance("29 min");
      }
      service.clock.advance("1 h");
      expect(await codeOf(demo)).toBe(203);
    });

    test("ends a lockout", async () => {
      const logIn = (password: string) => service.as("demo", { password }).logIn();
      // The delays double, from a second to the longest.
      for (let failures = 0; failures < 14; failures += 1) {
        service.clock.advance("11 min");
        await expect(logIn("wrong")).rejects.toMatchObject({ code: 302 });
      }
      await expect(logIn("demo")).rejects.toMatchObject({ code: 302 });
      service.clock.advance("11 min");
      await logIn("demo");
    });

    test("releases the locks of an expired session", async () => {
      const [demo, admin] = [service.as("demo"), service.as("admin")];
      const listed = await demo.get("/v1/object/Customer?perPage=1").expect(200);
      const id = listed.body.data["~Elements"][0]["~ObjectID"];
      await demo.post(`/v1/lock/object/${id}`).expect(200);
      const refused = await admin.patch(`/v1/object/${id}`).send({ City: "Gent" });
      expect(refused.body.status.internalStatus).toBe("713");
      service.clock.advance("31 min");
      await admin.logIn();
      await admin.patch(`/v1/object/${id}`).send({ City: "Gent" }).expect(200);
    });

    test("forgets tombstones when told", async () => {
      const demo = service.as("demo");
      const listed = await demo.get("/v1/object/Invoice?perPage=1").expect(200);
      const since = (await demo.get("/v1/sync").expect(200)).body.data.schemas[0].syncVersion;
      await demo.delete(`/v1/object/${listed.body.data["~Elements"][0]["~ObjectID"]}`).expect(200);
      const pull = async () => {
        await demo.logIn();
        const { body } = await demo.post("/v1/sync/sales").send({ syncVersion: since });
        return Number(body.status.internalStatus);
      };
      service.clock.advance("89 days");
      await service.timers.run("sweep");
      expect(await pull()).toBe(0);
      service.clock.advance("2 days");
      expect(await pull()).toBe(0);
      await service.timers.run("sweep");
      expect(await pull()).toBe(330);
    });

    test("ends a long poll", async () => {
      const demo = service.as("demo");
      const [{ syncVersion }] = (await demo.get("/v1/sync").expect(200)).body.data.schemas;
      const polling = demo.post("/v1/sync/sales").send({ syncVersion, wait: 25 }).expect(200);
      const advancing = setInterval(() => service.clock.advance("10 s"), 50);
      expect((await polling).body.data.changed).toEqual([]);
      clearInterval(advancing);
      // Less than the wait.
    }, 20_000);

    test("refills a limited rate", async () => {
      const limited = await startTestService({
        databases: { "": {} },
        configuration: { rates: { address: { perMinute: 60, burst: 5 } } },
      });
      try {
        const agent = limited.anonymous();
        const code = async () => (await agent.get("/_CheckService")).body.status.internalStatus;
        const codes = await Promise.all(Array.from({ length: 10 }, code));
        expect(codes).toContain("800");
        limited.clock.advance("1 min");
        expect(await code()).toBe("0");
      } finally {
        await limited.close();
      }
    });
  });
});
