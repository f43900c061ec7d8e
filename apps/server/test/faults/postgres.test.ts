import { seesAll } from "@sallyport/storage";
import { until } from "@sallyport/test-kit/jest/until";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { factorOperations } from "./factor-operations.ts";
import { openFaultFixture, type FaultFixture, type Reply } from "./fault-fixture.ts";
import { objectOperations } from "./object-operations.ts";
import { passwordOperations } from "./password-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { type Moment, StatementRelay } from "./statement-relay.ts";
import { syncOperations, syncReads } from "./sync-operations.ts";
import type { WriteOperation } from "./write-operation.ts";

describe("server with real faults of Postgres", () => {
  /** Milliseconds. */
  const timeout = 180_000;

  const leaks = /Connection terminated|ECONN|relation|select|insert into|out of ink|lock_timeout|deadlock/i;

  const operations = [...objectOperations, ...sessionOperations, ...factorOperations, ...passwordOperations];

  function operation(title: string): WriteOperation {
    const found = operations.find((each) => each.title === title);
    if (found === undefined) throw new Error(`No route ${title}.`);
    return found;
  }

  let postgres: PostgresFixture;
  let relay: StatementRelay;
  let fixture: FaultFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    relay = new StatementRelay(new URL(postgres.url));
    await relay.listen();
    fixture = await openFaultFixture({ databaseUrl: relay.url }, { pool: { max: 2, acquireTimeout: "1s" } });
  }, timeout);
  afterAll(async () => {
    await fixture.close();
    await relay.close();
    await postgres.close();
  });

  const summary = ({ status, code, text }: Reply) => ({ status, code, leak: leaks.exec(text)?.[0] });
  const customer = async (name = "Ada") => {
    const [created] = await fixture.storage.repositories.objects.insert([
      { className: "Customer", attributes: { Name: name } },
    ]);
    return created?.id as string;
  };
  const nameOf = async (id: string) =>
    (await fixture.storage.repositories.objects.get([id], seesAll))[0]?.attributes["Name"];
  const rename = (id: string) => fixture.send({ method: "PATCH", path: `/v1/object/${id}`, body: { Name: "Eve" } });

  const connectionLost = { status: 500, code: 704, leak: undefined };
  const answered = { status: 200, code: 0, leak: undefined };
  /** A session is opened by one statement, which is durable when it ends. */
  const opening = /^joint_/;
  const cuts: readonly (readonly [string, RegExp, Moment, object, "absent" | "whole"])[] = [
    ["creates an object", /^object_insert/, "before", connectionLost, "absent"],
    ["creates an object", /^object_insert/, "during", connectionLost, "whole"],
    ["creates an object", /^object_insert/, "after", answered, "whole"],
    ["changes an object", /^object_update/, "before", connectionLost, "absent"],
    ["changes an object", /^object_update/, "during", connectionLost, "whole"],
    ["changes all matching objects", /^object_update/, "during", connectionLost, "absent"],
    ["changes all matching objects", /^commit/, "before", connectionLost, "absent"],
    ["changes all matching objects", /^commit/, "during", connectionLost, "whole"],
    ["deletes an object", /^deletion_lock/, "after", connectionLost, "absent"],
    ["deletes an object", /^deletion_clear/, "during", connectionLost, "absent"],
    ["deletes an object", /^deletion_delete/, "after", connectionLost, "absent"],
    ["deletes an object", /^commit/, "before", connectionLost, "absent"],
    ["deletes an object", /^commit/, "during", connectionLost, "whole"],
    ["deletes an object", /^commit/, "after", answered, "whole"],
    ["restores objects that were deleted together", /^deletion_restore/, "during", connectionLost, "absent"],
    ["restores objects that were deleted together", /^commit/, "during", connectionLost, "whole"],
    ["locks an object", /^lock_take/, "during", connectionLost, "whole"],
    ["logs in by /v1/login", opening, "before", connectionLost, "absent"],
    ["logs in by /v1/login", opening, "during", connectionLost, "whole"],
    ["logs in by /v1/login", opening, "after", answered, "whole"],
    ["logs a custom user in", opening, "before", connectionLost, "absent"],
    ["logs a custom user in", opening, "during", connectionLost, "whole"],
    ["logs a custom user in", opening, "after", answered, "whole"],
    ["logs in and links a provider account", /^record_put/, "after", connectionLost, "absent"],
    ["logs in and links a provider account", /^commit/, "before", connectionLost, "absent"],
    ["logs in and links a provider account", /^commit/, "during", connectionLost, "whole"],
    ["logs in and links a provider account", /^commit/, "after", answered, "whole"],
    ["reads a second factor again", /^record_put/, "during", connectionLost, "absent"],
    ["reads a second factor again", /^commit/, "before", connectionLost, "absent"],
    ["reads a second factor again", /^commit/, "during", connectionLost, "whole"],
    ["confirms a second factor", /^commit/, "before", connectionLost, "absent"],
    ["confirms a second factor", /^commit/, "during", connectionLost, "whole"],
    ["sets a password by a mailed token", /^record_take/, "after", connectionLost, "absent"],
    ["sets a password by a mailed token", /^commit/, "before", connectionLost, "absent"],
    ["sets a password by a mailed token", /^commit/, "during", connectionLost, "whole"],
    ["sets the password of a custom user by a mailed token", /^commit/, "before", connectionLost, "absent"],
    ["sets the password of a custom user by a mailed token", /^commit/, "during", connectionLost, "whole"],
    ["sets the password of a custom user by a mailed token", /^commit/, "after", answered, "whole"],
    ["logs out", /^session_end/, "during", { status: 500, code: 703, leak: undefined }, "absent"],
    ["logs out", /^commit/, "before", { status: 500, code: 703, leak: undefined }, "absent"],
    ["logs out", /^commit/, "during", { status: 500, code: 703, leak: undefined }, "whole"],
  ];
  test.each(cuts)(
    "handles a request that %s when its connection is cut at %s, %s the statement",
    async (title, statement, moment, reply, left) => {
      const { request, state } = await operation(title).prepare(fixture);
      const cut = relay.cutAt(statement, moment);
      const [answer] = await Promise.all([fixture.send(request), cut]);
      expect({ ...summary(answer), state: await state() }).toEqual({ ...reply, state: left });
      // The remaining connections work.
      expect((await rename(await customer())).code).toBe(0);
    },
    timeout,
  );

  describe("while another session has locked the rows", () => {
    // Statistics stay the same within a transaction; this view does not.
    const waiting =
      "from (select distinct pid from pg_locks where not granted) waiting where pg_backend_pid() = any (pg_blocking_pids(pid))";
    /** Resolves when this many statements wait for a lock of this session. */
    const waited = async (count = 1): Promise<void> => {
      await until(async () => (await postgres.sql.query(`select ${waiting}`)).rowCount === count);
    };
    const lock = async (...ids: string[]) => {
      await postgres.sql.query("begin");
      for (const id of ids)
        await postgres.sql.query(
          "select from sallyport_demo.objects where oid = sallyport_demo.object_number($1) for update",
          [id],
        );
    };
    afterEach(() => postgres.sql.query("rollback"));

    test(
      "answers 704 to a terminated connection, and writes nothing",
      async () => {
        const id = await customer();
        await lock(id);
        const renaming = rename(id);
        await waited();
        await postgres.sql.query(`select pg_terminate_backend(pid) ${waiting}`);
        expect(summary(await renaming)).toEqual(connectionLost);
        await postgres.sql.query("rollback");
        expect(await nameOf(id)).toBe("Ada");
        expect((await rename(id)).code).toBe(0);
      },
      timeout,
    );

    test(
      "answers 706 to a cancelled statement, and writes nothing",
      async () => {
        const id = await customer();
        await lock(id);
        const renaming = rename(id);
        await waited();
        await postgres.sql.query(`select pg_cancel_backend(pid) ${waiting}`);
        expect(summary(await renaming)).toEqual({ status: 503, code: 706, leak: undefined });
        await postgres.sql.query("rollback");
        expect(await nameOf(id)).toBe("Ada");
        expect((await rename(id)).code).toBe(0);
      },
      timeout,
    );

    test(
      "answers 607 when all connections of the pool wait, and answers the waiting requests",
      async () => {
        const ids = [await customer(), await customer()];
        await lock(...ids);
        const renaming: Promise<Reply>[] = [];
        // In sequence: concurrent requests may share a connection.
        for (const id of ids) {
          renaming.push(rename(id));
          await waited(renaming.length);
        }
        const refused = await rename(ids[0] as string);
        expect(summary(refused)).toEqual({ status: 503, code: 607, leak: undefined });
        expect(refused.text.toLowerCase()).toContain('"retry-after","1"');
        await postgres.sql.query("rollback");
        expect((await Promise.all(renaming)).map(({ code }) => code)).toEqual([0, 0]);
      },
      timeout,
    );
  });

  describe("with a table that refuses writes", () => {
    const trigger = (body: string, table = "objects") =>
      postgres.sql.query(`
        create sequence if not exists sallyport_demo.refusals minvalue -100;
        create or replace function sallyport_demo.refuse() returns trigger language plpgsql as $$ begin ${body}; return coalesce(new, old); end $$;
        create or replace trigger refuse before insert or update or delete on sallyport_demo.${table} for each row execute function sallyport_demo.refuse()`);
    const terminate = (times: number, state: string) =>
      trigger(
        `if nextval('sallyport_demo.refusals') <= 0 then raise exception 'out of ink' using errcode = '${state}'; end if`,
      ).then(() => postgres.sql.query(`select setval('sallyport_demo.refusals', -${times})`));
    afterEach(() => postgres.sql.query("drop trigger refuse on sallyport_demo.objects"));

    test.each([
      ["a serialization failure", "40001"],
      ["a deadlock", "40P01"],
    ])(
      "retries %s, and answers 706 the third time",
      async (_title, state) => {
        const id = await customer();
        await terminate(2, state);
        expect(summary(await rename(id))).toEqual(answered);
        await terminate(0, state);
        const absent = await customer("Bob");
        await terminate(3, state);
        expect(summary(await rename(absent))).toEqual({ status: 503, code: 706, leak: undefined });
        expect(await nameOf(absent)).toBe("Bob");
      },
      timeout,
    );

    test(
      "answers 799 to an unexpected error, without its words",
      async () => {
        const [id, { request, state }] = [await customer(), await operation("deletes an object").prepare(fixture)];
        await trigger("perform 1 / 0");
        expect(summary(await rename(id))).toEqual({ status: 500, code: 799, leak: undefined });
        expect(await nameOf(id)).toBe("Ada");
        expect(summary(await fixture.send(request))).toEqual({ status: 500, code: 799, leak: undefined });
        expect(await state()).toBe("absent");
      },
      timeout,
    );
  });

  test.each([
    ["changes", /^change_read/, 716],
    ["schemas", /^records_get/, 721],
  ] as const)(
    "answers a device whose read of %s is cut at %s with %i",
    async (read, statement, code) => {
      await (syncOperations[0] as WriteOperation).prepare(fixture);
      expect(summary(await fixture.send(syncReads[read]))).toEqual(answered);
      const cut = relay.cutAt(statement, "before");
      const [reply] = await Promise.all([fixture.send(syncReads[read]), cut]);
      expect(summary(reply)).toEqual({ status: 500, code, leak: undefined });
      expect(summary(await fixture.send(syncReads[read]))).toEqual(answered);
    },
    timeout,
  );

  test("answers 713 to a write and 718 to a deletion of an object locked by another session, and keeps it unchanged", async () => {
    const id = await customer();
    const { data } = await fixture.send({
      method: "POST",
      path: "/v1/login",
      body: { user: "demo", pass: "demo", appNames: ["demo-app"] },
      sessionId: null,
    });
    expect(
      (await fixture.send({ method: "POST", path: `/v1/lock/object/${id}`, sessionId: data.sessionId })).code,
    ).toBe(0);
    expect(summary(await rename(id))).toEqual({ status: 500, code: 713, leak: undefined });
    expect(summary(await fixture.send({ method: "DELETE", path: `/v1/object/${id}` }))).toEqual({
      status: 500,
      code: 718,
      leak: undefined,
    });
    expect(await nameOf(id)).toBe("Ada");
  });
});
