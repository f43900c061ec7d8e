import type { AuditEvent, Repositories } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { acquire, release } from "../src/dialects/postgres/connection.ts";
import { KnexStorage } from "../src/index.ts";
import { openInProcesses, times } from "./processes/run-workers.ts";
import { codeOf, digestOf, newSession, openPolicy } from "./sample.ts";
import { openTestDatabase, processTimeout, startTimeout, type TestDatabase } from "./test-database.ts";

describe("transactions", () => {
  describe("sessions of several processes", () => {
    let database: TestDatabase;
    let storage: KnexStorage;
    let offset = 0;

    beforeAll(async () => {
      database = await openTestDatabase({ migrated: true });
      storage = database.storage({ clockOffset: () => offset });
    }, startTimeout);
    beforeEach(async () => {
      offset = 0;
      await storage.repositories.sessions.end({ userId: "1" });
      await storage.repositories.sessions.end({ userId: "2" });
    });
    afterEach(async () => {
      const { rows } = await database.admin.query(
        "select (select count(*) from test.sessions) = (select sum(sessions) from test.session_counts) as counted",
      );
      expect(rows).toEqual([{ counted: true }]);
    });
    afterAll(() => database.drop());

    test(
      "fill the limit exactly if they begin concurrently",
      async () => {
        const { rows } = await database.admin.query(
          "select current_setting('max_connections')::integer as connections",
        );
        const limit = (rows[0] as { connections: number }).connections + 20;
        const outcomes = await openInProcesses(
          { url: database.url, schema: "test" },
          { ...openPolicy, limit },
          (process) => Array.from({ length: limit / 2 }, (_, index) => newSession(`side by side ${process} ${index}`)),
        );
        expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([limit, outcomes.length - limit]);
        expect(await storage.repositories.sessions.count()).toBe(limit);
      },
      processTimeout,
    );

    test("do not wait below the limit", async () => {
      const { rows } = await database.admin.query("select current_setting('max_connections')::integer as connections");
      const roomy = { ...openPolicy, limit: (rows[0] as { connections: number }).connections + 20 };
      await storage.transaction(async (r) => {
        await r.sessions.open(newSession("under way"), roomy);
        await storage.repositories.sessions.open(newSession("beside it"), roomy);
      });
      expect(await storage.repositories.sessions.count()).toBe(2);
    });

    test("free their slot after they expire, before a sweep", async () => {
      const { sessions } = storage.repositories;
      const full = { ...openPolicy, limit: 2, perUserLimit: 2 };
      for (const name of ["old 1", "old 2"]) await sessions.open(newSession(name), full);
      expect(await codeOf(sessions.open(newSession("new"), full))).toBe(315);
      offset = openPolicy.idleTimeout;
      await sessions.open(newSession("new"), full);
      expect(await sessions.sweep(10)).toBe(2);
    });

    test("are extended once by concurrent requests", async () => {
      const { admission, appKeys, accounts, sessions } = storage.repositories;
      await appKeys.create({ name: "web", appNames: null, origins: [] }, digestOf("web"));
      await accounts.create({ userId: "1", loginName: "u", secret: "s", administrator: false }, "u");
      const request = { appKey: digestOf("web"), session: digestOf("touched"), idleTimeout: openPolicy.idleTimeout };
      const { appKey } = await admission.admit({ ...request, session: null });
      await sessions.open(newSession("touched", { appKeyId: appKey?.id ?? "" }), openPolicy);
      const version = async () => (await database.admin.query("select xmin from test.sessions")).rows;
      const opened = await version();
      offset = 59_000;
      await admission.admit(request);
      expect(await version()).toEqual(opened);
      offset = 61_000;
      await Promise.all(Array.from({ length: 8 }, () => admission.admit(request)));
      const { rows } = await database.admin.query<{ life: number }>(
        "select extract(epoch from expires_at - opened_at)::float8 as life from test.sessions",
      );
      expect(rows[0]?.life).toBeCloseTo(661, 0);
      const touched = await version();
      await admission.admit(request);
      expect(await version()).toEqual(touched);
    });
  });

  const auditEvent: AuditEvent = {
    type: "login.accepted",
    requestId: "request",
    outcome: 0,
    appKeyId: "key",
    actorId: null,
    subjectId: null,
    address: "192.0.2.1",
    appNames: [],
    className: null,
    macroName: null,
    providerName: null,
    changes: [],
  };

  describe("transactions on a server", () => {
    let database: TestDatabase;
    let storage: KnexStorage;

    beforeAll(async () => {
      database = await openTestDatabase({ migrated: true });
      storage = database.storage();
      for (const [index, name] of ["a", "b"].entries()) {
        await storage.repositories.accounts.create(
          { userId: `${index + 1}`, loginName: name, secret: "s", administrator: false },
          name,
        );
      }
    }, startTimeout);
    afterAll(() => database.drop());

    const disable = (r: Repositories, userId: string) => r.accounts.change(userId, { disabled: true });

    test("retries both transactions after a deadlock", async () => {
      const attempts = [0, 0];
      const connectionIds = new Set<number>();
      let continueBoth = () => {};
      const met = new Promise<void>((resolve) => {
        continueBoth = resolve;
      });
      const crossing = (index: number, first: string, second: string) =>
        storage.transaction(async (r) => {
          attempts[index] = (attempts[index] ?? 0) + 1;
          await disable(r, first);
          // Each transaction locks its first row before the other requests its second, so the deadlock is certain.
          connectionIds.add(index);
          if (connectionIds.size === 2) continueBoth();
          await met;
          await disable(r, second);
        });
      await Promise.all([crossing(0, "1", "2"), crossing(1, "2", "1")]);
      expect(attempts[0]! + attempts[1]!).toBeGreaterThan(2);
    });

    test("fails after three attempts of a transaction that cannot be serialized", async () => {
      await database.admin.query(`
      create function test.refuse() returns trigger language plpgsql as $$ begin raise serialization_failure; end $$;
      create trigger refuse before update on test.settings for each row execute function test.refuse()`);
      let attempts = 0;
      const failing = storage.transaction(async (r) => {
        attempts += 1;
        await r.settings.setMaintenance(true);
      });
      expect(await codeOf(failing)).toBe(706);
      expect(attempts).toBe(3);
      expect(await codeOf(storage.repositories.settings.setMaintenance(true))).toBe(706);
      await database.admin.query("drop function test.refuse cascade");
    });

    test("retries calls and transactions if the statistics for their plan are dropped concurrently", async () => {
      // The planner error, in the first two attempts. A sequence keeps its value when a statement fails.
      await database.admin.query(`
      create sequence test.plans;
      create function test.plan() returns trigger language plpgsql as $$ begin
        if nextval('test.plans') % 3 <> 0 then
          raise 'cache lookup failed for statistics object %', 16778 using errcode = 'XX000';
        end if;
        return new;
      end $$;
      create trigger plan before update on test.settings for each row execute function test.plan()`);
      await storage.repositories.settings.setMaintenance(true);
      await storage.transaction((r) => r.settings.setMaintenance(false));
      const { rows } = await database.admin.query("select last_value from test.plans");
      expect(rows).toEqual([{ last_value: "6" }]);
      await database.admin.query("drop function test.plan cascade; drop sequence test.plans");
    });

    test("keeps the connection of a transaction that is refused", async () => {
      const { knex } = database.connect({ applicationName: "kept", pool: { max: 1 } });
      const kept = new KnexStorage({ knex, schema: "test" });
      const backend = async () =>
        (
          await database.admin.query(
            "select pid from pg_stat_activity where datname = current_database() and application_name = 'kept'",
          )
        ).rows;
      await kept.health();
      const before = await backend();
      const full = { ...openPolicy, perUserLimit: 1 };
      await kept.repositories.sessions.open(newSession("first of two"), full);
      const refused = kept.batch((r) =>
        Promise.all([r.sessions.open(newSession("second of two"), full), r.audit.append(auditEvent)]),
      );
      expect(await codeOf(refused)).toBe(315);
      await kept.repositories.sessions.end({ digest: newSession("first of two").digest });
      expect(await backend()).toEqual(before);
      expect(before).toHaveLength(1);
    });

    test("rolls back a transaction with a failed statement even if the work ignores the failure", async () => {
      const careless = storage.transaction(async (r) => {
        await r.sessions.open(newSession("careless"), openPolicy);
        await codeOf(r.sessions.open(newSession("careless"), openPolicy));
      });
      expect(await codeOf(careless)).toBe(799);
      expect(await storage.repositories.sessions.count()).toBe(0);
    });

    test("continues a transaction after a taken name", async () => {
      const outcomes = await storage.transaction(async (r) => [
        await r.accounts.create({ userId: "9", loginName: "a", secret: "s", administrator: false }, "a"),
        await r.sessions.open(newSession("first"), { ...openPolicy, limit: 1 }),
      ]);
      expect(outcomes).toEqual(["nameTaken", undefined]);
      expect(await storage.repositories.sessions.end({ userId: "1" })).toBe(1);
    });

    test("rolls back a transaction after a used UUID even if the work ignores the error", async () => {
      const { objects, sessions } = storage.repositories;
      const uuid = "00000000-0000-4000-8000-000000000001";
      await objects.insert([{ className: "File", attributes: {}, uuid }]);
      const careless = storage.transaction(async (r) => {
        await r.sessions.open(newSession("with a UUID"), openPolicy);
        expect(await codeOf(r.objects.insert([{ className: "File", attributes: {}, uuid }]))).toBe(307);
      });
      expect(await codeOf(careless)).toBe(307);
      expect(await sessions.count()).toBe(0);
    });

    test("runs concurrent calls of a transaction in sequence", async () => {
      const count = await storage.transaction(async (r) => {
        await Promise.all(
          Array.from({ length: 10 }, (_, index) => r.sessions.open(newSession(`many ${index}`), openPolicy)),
        );
        return r.sessions.count();
      });
      expect(count).toBe(10);
      await storage.repositories.sessions.end({ userId: "1" });
    });

    test("provides no repositories beyond the end of a transaction", async () => {
      let kept: Repositories | undefined;
      await storage.transaction(async (r) => {
        kept = r;
      });
      expect(await codeOf((kept as Repositories).sessions.count())).toBe(799);
    });

    test("sends the end of a nested transaction with the next statement, and nothing for an empty one", async () => {
      const { knex } = database.connect({ pool: { max: 1 } });
      const watched = new KnexStorage({ knex, schema: "test" });
      await watched.health();
      const sent: string[] = [];
      const connection = await acquire(knex);
      const query = connection.query.bind(connection);
      connection.query = (asked, callback) => {
        sent.push(/^(?:begin|commit|savepoint|release|rollback to)/.test(asked.text) ? asked.text : "statement");
        query(asked, callback);
      };
      release(knex, connection);
      await watched.transaction(async (r, attempt) => {
        await attempt(() => attempt(async () => {}));
        await attempt(() => Promise.reject(new Error("undone"))).catch(() => {});
        await new Applications(r.records).existing(["a"]);
        await attempt(() => new Applications(r.records).existing(["a"]));
        await attempt(async () => {
          await attempt(() => new Applications(r.records).existing(["a"]));
          throw new Error("undone");
        }).catch(() => {});
      });
      const savepoints = [
        "savepoint nested_1",
        "statement",
        "release savepoint nested_1",
        "savepoint nested_1",
        "savepoint nested_2",
        "statement",
      ];
      const ends = ["release savepoint nested_2", "rollback to savepoint nested_1", "release savepoint nested_1"];
      expect(sent).toEqual(["begin isolation level read committed", "statement", ...savepoints, ...ends, "commit"]);
    });

    test("ends a whole transaction if a statement of a nested one times out, even if the error is caught", async () => {
      const { knex } = database.connect({ url: database.directUrl, statementTimeout: 200 });
      const withTimeout = new KnexStorage({ knex, schema: "test" });
      await withTimeout.health();
      await database.admin.query("begin; lock table test.records in exclusive mode");
      let later: unknown;
      const late = withTimeout.transaction(async (r, attempt) => {
        await r.audit.append(auditEvent);
        const caught = await attempt(() =>
          attempt(() => new Applications(r.records).create({ name: "late", seats: null })),
        ).catch((error: unknown) => error);
        later = await r.audit.read(0, 1).then(
          () => "answered",
          (error: unknown) => error === caught,
        );
      });
      expect(await codeOf(late)).toBe(706);
      expect(later).toBe(true);
      await database.admin.query("rollback");
      expect(await withTimeout.repositories.audit.read(0, 10)).toEqual([]);
      expect(await new Applications(withTimeout.repositories.records).existing(["late"])).toEqual([]);
    });

    test("ends a whole transaction if the connection is lost in a nested one, even if the error is caught", async () => {
      const { knex } = database.connect({ applicationName: "lost in a nested transaction", pool: { max: 1 } });
      const cut = new KnexStorage({ knex, schema: "test" });
      const lost = cut.transaction(async (r, attempt) => {
        await r.audit.append(auditEvent);
        await attempt(async () => {
          await database.admin.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'lost in a nested transaction'",
          );
          await r.audit.append(auditEvent);
        }).catch(() => {});
        return codeOf(attempt(() => r.audit.read(0, 1)));
      });
      expect(await codeOf(lost)).toBe(704);
      expect(await cut.repositories.audit.read(0, 10)).toEqual([]);
    });

    test("rethrows the error of the work", async () => {
      const mine = new Error("mine");
      await expect(storage.transaction(() => Promise.reject(mine))).rejects.toBe(mine);
    });
  });
});
