import { tablesOf } from "../src/dialects/postgres/tables.ts";
import { statementsOf } from "../src/dialects/postgres/statements/statements.ts";
import type { Statement } from "../src/sql-runner.ts";
import { digestOf } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

/** Parameters of the opening of a session. `limits`: those of seats. `basis`: expected records. */
function openingWith(limits: string, basis = "null"): string[] {
  const [digest, idle, lifetime, secretVersion] = [`'\\x${digestOf("new")}'`, "1", "1", "1"];
  const session = [digest, "'session'", "'key1'", "7", "'[]'", "'d6'", idle, lifetime, "0", secretVersion];
  const [ofAll, ofUser, ofDevice] = ["1000000", "1000", "2"];
  return [...session, ofAll, ofUser, ...Array<string>(4).fill("null"), ofDevice, limits, basis, "'192.0.2.7'"];
}

/** The used members of a JSON plan. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

describe("plans of frequent statements", () => {
  let database: TestDatabase;
  const statements = statementsOf(tablesOf("test"));
  const sessionDigest = `'\\x${digestOf("s1")}'`;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    // Otherwise the rows may still wait for a flush during the vacuum and not be marked as visible to all.
    await database.admin.query("set synchronous_commit = on");
    // As in a database that was in use: the rows of former readers have lower stamps.
    await database.admin.query("select setval('test.stamps', 20000)");
    await database.admin.query(`
      insert into test.objects (uuid, class, attributes, stored_at)
        select gen_random_uuid(), 'Rare', '{}', now() from generate_series(1, 30);
      insert into test.objects (uuid, class, attributes, stored_at, readers)
        select gen_random_uuid(), (array['File', 'Image', 'User'])[1 + i % 3], jsonb_build_object('Name', repeat('n', 100)), now(),
          case when i % 50 = 0 then array[1::bigint] end
        from generate_series(1, 30000) as i;
      insert into test.accounts (user_id, login_name, confusable_key, secret, administrator)
        select i, 'user ' || i, 'user' || i, 'secret', false from generate_series(1, 2000) as i;
      insert into test.app_keys (id, name, digest, origins)
        select 'key' || i, 'key ' || i, sha256(('k' || i)::bytea), '[]' from generate_series(1, 500) as i;
      insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, device_id, opened_at, expires_at, ends_at)
        select sha256(('s' || i)::bytea), 'session', 'key1', 1 + i % 2000, 1, '[]', case when i % 2 = 0 then 'd' || i end,
          now(), now() + interval '30 min', now() + interval '12 h'
        from generate_series(1, 10000) as i;
      insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, device_id, opened_at, expires_at, ends_at)
        select sha256(('secure' || i)::bytea), 'secure', 'key1', 1 + i % 2000, 1, '[]', null, now(), now() + interval '30 min', now() + interval '12 h'
        from generate_series(1, 5000) as i;
      insert into test.records (kind, id, owner, value, version, born, created_at, expires_at)
        select 'identityLink', 'link ' || i, 'user:' || i, json_build_object('id', gen_random_uuid(), 'userId', i::text), i, i, now(), 'infinity'
        from generate_series(1, 2000) as i;
      insert into test.custom_accounts (id, login_name, confusable_key, user_id, secret)
        select gen_random_uuid(), 'custom ' || i, 'custom' || i, i, 'secret' from generate_series(1, 2000) as i;
      insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at, link_id, link_born)
        select sha256(id::bytea), 'session', 'key1', born, 1, '[]', now(), now() + interval '30 min', now() + interval '12 h', id, born from test.records;
      insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at, custom_account, custom_version)
        select sha256(login_name::bytea), 'session', 'key1', user_id, 1, '[]', now(), now() + interval '30 min', now() + interval '12 h', id, 1 from test.custom_accounts;
      insert into test.channels (session, wrapped_key, iv_prefix) select digest, repeat('w', 100), '\\x010203' from test.sessions where mode = 'secure';
      insert into test.cipher_blocks select sha256(('b' || i)::bytea), sha256('client'), 'key', 1, now() from generate_series(1, 5000) as i;
      insert into test.audit (at, type, request_id, outcome, app_key_id, address, app_names)
        select now(), 'logout.completed', 'r' || i, 0, 'key1', '192.0.2.1', '[]' from generate_series(1, 20000) as i;
      insert into test.tombstones (oid, uuid, class, version, deleted_at, attributes, root)
        select 40000 + i, gen_random_uuid(), 'File', 2, now(), case when i % 2 = 0 then '{}'::jsonb end, 40000 + i - i % 3 from generate_series(1, 10000) as i;
      insert into test.former_readers (oid, stamp, class, readers, changed_at)
        select i, i, 'File', '{1}', now() from generate_series(1, 10000) as i;
      insert into test.links (source, target, attribute) select i, 1 + i % 3000, 'Boss' from generate_series(1, 30000) as i;
      insert into test.locks (oid, session, since) select i, sha256(('s' || i)::bytea), now() from generate_series(1, 5000) as i;
      insert into test.throttle select 'key' || i, 1, now(), now() + interval '1 h' from generate_series(1, 5000) as i`);
    for (const table of [
      "objects",
      "tombstones",
      "former_readers",
      "links",
      "locks",
      "accounts",
      "app_keys",
      "sessions",
      "channels",
      "cipher_blocks",
      "audit",
      "throttle",
      "records",
      "custom_accounts",
    ])
      await database.admin.query(`vacuum analyze test.${table}`);
  }, startTimeout);
  afterAll(() => database.drop());

  /** All nodes of the plan, by default of the generic plan. */
  async function nodesOf(
    statement: Statement,
    parameters: readonly string[],
    mode = "force_generic_plan",
  ): Promise<PlanNode[]> {
    await database.admin.query(`set plan_cache_mode = ${mode}`);
    await database.admin.query(`prepare explained as ${statement.text}`);
    const { rows } = await database.admin.query(
      `explain (format json) execute explained ${parameters.length === 0 ? "" : `(${parameters.join(", ")})`}`,
    );
    await database.admin.query("deallocate explained");
    const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
    return flatten(rows[0]["QUERY PLAN"][0].Plan as PlanNode);
  }

  const ofFewRows = ["settings", "session_counts", "pg_database"];
  const indexesOf = (nodes: PlanNode[]) => [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))].toSorted();
  const scannedWhole = (nodes: PlanNode[]) =>
    nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]);

  const {
    accounts,
    admission,
    audit,
    changes,
    channels,
    cipherBlocks,
    tombstones,
    objects,
    records,
    sessions,
    throttle,
  } = statements;
  const secureDigest = `'\\x${digestOf("secure1")}'`;
  const blockUse = [`'{${digestOf("b1")},${digestOf("new")}}'`, `'\\x${digestOf("client")}'`, "'key'", "0"];
  const keys = `'[{"key": "key1", "free": 1, "first": 1, "longest": 1, "forget": 1}]'`;

  test.each<[string, Statement, string[], string[]]>([
    [
      "admission",
      admission.admit.session,
      [`'\\x${digestOf("k1")}'`, sessionDigest, "0", "1000"],
      ["accounts_pkey", "app_keys_digest_key", "custom_accounts_pkey", "objects_pkey", "records_pkey", "sessions_pkey"],
    ],
    [
      "admission of a secure session",
      admission.admit.secure,
      [`'\\x${digestOf("k1")}'`, secureDigest, "0", "1000"],
      [
        "accounts_pkey",
        "app_keys_digest_key",
        "channels_pkey",
        "custom_accounts_pkey",
        "objects_pkey",
        "records_pkey",
        "sessions_pkey",
      ],
    ],
    [
      "check of an incoming message number",
      channels.acceptIn,
      [secureDigest, "18446744073709551615"],
      ["channels_pkey"],
    ],
    ["reservation of outgoing message numbers", channels.reserveOut, [secureDigest, "100"], ["channels_pkey"]],
    ["registration of cipher blocks", cipherBlocks.register, [...blockUse, "3", "60000"], ["cipher_blocks_pkey"]],
    [
      "sweep of cipher blocks",
      cipherBlocks.sweep,
      ["'{key}'", "1000", "1000", "0"],
      ["cipher_blocks_key", "cipher_blocks_pkey"],
    ],
    ["sweep of the audit", audit.sweep, ["1000", "1000", "0"], ["audit_pkey"]],
    ["sweep of the throttle", throttle.sweep, ["1000", "0"], ["throttle_forget", "throttle_pkey"]],
    [
      "extension of sessions",
      admission.renew,
      [`'${JSON.stringify([{ digest: digestOf("s1"), lifetime: 1_000, due: 900 }])}'`, "0", "true"],
      ["sessions_pkey"],
    ],
    ["extension of a session", admission.touch, [sessionDigest, "1000", "0", "900"], ["sessions_pkey"]],
    ["end of a session", sessions.endOne, [sessionDigest, "0"], ["sessions_pkey"]],
    ["end of all sessions of a user", sessions.endAllOfUser, ["1", "0", sessionDigest], ["sessions_device"]],
    [
      "end of all sessions of a custom account",
      sessions.endAllOfCustomAccount,
      ["gen_random_uuid()", "0", "null"],
      ["sessions_custom_account"],
    ],
    ["end of all sessions of a link", sessions.endAllOfLink, ["'link 7'", "0", "null"], ["sessions_link"]],
    ["renewal of a session", sessions.renew, [sessionDigest, "0", "2"], ["sessions_pkey"]],
    ["account of a user", accounts.byUser, ["7", "'{Groups}'"], ["accounts_pkey", "objects_pkey"]],
    [
      "account of an identity",
      accounts.byLink,
      ["'link 7'", "'{Groups}'", "0"],
      ["accounts_pkey", "objects_pkey", "records_pkey"],
    ],
    ["records by several IDs", records.get, ["'identityLink'", "'{link 7,link 8}'", "0"], ["records_pkey"]],
    ["take of a record", records.take, ["'identityLink'", "'link 7'", "0"], ["records_pkey"]],
    ["count of one record kind", records.count, ["'identityLink'", "0"], ["records_kind_expiry"]],
    ["provider callback", admission.admitCallback, ["'link 7'", "0"], ["app_keys_digest_key", "records_pkey"]],
    ["proof", accounts.byName, ["'user 7'", "'{Groups}'"], ["accounts_login_name_key", "objects_pkey"]],
    ["one object", objects.getOne, ["7", "null", "'{1}'"], ["objects_pkey"]],
    ["several objects", objects.getSeveral, ["'{7,8}'", "'{File}'", "'{1}'", "1000000"], ["objects_pkey"]],
    ["outlines of objects", objects.outlines, ["'{7,8}'", "'{File}'", "'{1}'"], ["objects_pkey"]],
    ["object by UUID", objects.getByUuid, ["gen_random_uuid()", "null", "null"], ["objects_uuid_key"]],
    ["row lock of objects", objects.lock, ["'{7,8}'"], ["objects_pkey"]],
    [
      "objects by UUIDs",
      objects.getByUuids,
      ["array[gen_random_uuid(), gen_random_uuid()]", "null", "'{1}'", "1000000"],
      ["objects_uuid_key"],
    ],
    [
      "start of the list of a class",
      objects.findNear,
      ["'File'", "'{1}'", "0", "50", "1000000"],
      ["objects_open", "objects_restricted"],
    ],
    [
      "list of a class",
      objects.findInOne,
      ["'File'", "'{1}'", "0", "50", "1000000"],
      ["objects_open", "objects_pkey", "objects_restricted"],
    ],
    [
      "list of several classes",
      objects.findInSeveral,
      ["'{File,User}'", "'{1}'", "0", "50", "1000000"],
      ["objects_open", "objects_pkey", "objects_restricted"],
    ],
    [
      "changes of classes",
      changes.read(100),
      ["'{Rare,File}'", "1", "7", "9000000000000000"],
      [
        "former_readers_changes",
        "former_readers_pkey",
        "objects_changes",
        "objects_pkey",
        "tombstones_changes",
        "tombstones_pkey",
      ],
    ],
    ["watermark of the changes", changes.watermark, [], ["objects_changes", "tombstones_stamp"]],
    [
      "sweep of tombstones and former readers",
      tombstones.sweep,
      ["1000", "1000", "0"],
      ["former_readers_age", "former_readers_pkey", "tombstones_age", "tombstones_pkey"],
    ],
    [
      "objects locked for deletion",
      tombstones.lockedRows,
      ["'{7,8}'", "0"],
      ["locks_pkey", "objects_pkey", "sessions_pkey"],
    ],
    [
      "referrers of an object",
      tombstones.referrers,
      ["'{7,8}'", `'[{"className": "File", "attribute": "Boss"}]'`, "100"],
      ["links_pkey", "objects_pkey"],
    ],
    [
      "tombstone",
      tombstones.delete,
      ["'{7,8}'", "true", "7", "0", "7", "10000"],
      ["links_source", "locks_pkey", "objects_pkey", "tombstones_deleted_by"],
    ],
    [
      "tombstone of an object",
      tombstones.find,
      ["7", "null", "'{File}'", "'{1}'"],
      ["tombstones_pkey", "tombstones_uuid_key"],
    ],
    ["cascade of a recycled object", tombstones.group, ["40001"], ["tombstones_pkey", "tombstones_root"]],
    [
      "recycled objects of a user",
      tombstones.listRecycledBy,
      ["null", "null", "50", "'{File}'", "'{1}'", "7"],
      ["tombstones_deleted_by"],
    ],
    [
      "recycled objects of all users",
      tombstones.listRecycled,
      ["1795512345678", "40001", "50", "null", "null"],
      ["tombstones_deleted_at"],
    ],
    ["targets of links", tombstones.targets, ["'{7,40001}'"], ["objects_pkey", "tombstones_pkey"]],
    ["count of recycled objects of a class", objects.countRecycled, ["'{Rare}'", "'{1}'"], ["tombstones_class"]],
    [
      "count of taken seats",
      sessions.count.number.seats,
      ["0", "'Rare'", "'concurrent'"],
      ["sessions_app_names", "sessions_reserved_names"],
    ],
  ])("%s", async (_, statement, parameters, indexes) => {
    const nodes = await nodesOf(statement, parameters);
    expect(indexesOf(nodes)).toEqual(indexes);
    expect(scannedWhole(nodes).filter((relation) => !ofFewRows.includes(String(relation)))).toEqual([]);
  });

  test.each([
    ["attempt", throttle.attempt, [keys, "0", "'{key1}'"], "throttle"],
    [
      "clearing of failures",
      throttle.pass,
      ["'{key1,key2,nobody}'", keys, "'{key2}'", "7200000", "null", "null", "null", "null", "null"],
      "throttle",
    ],
    [
      "granting of an exemption",
      throttle.pass,
      ["'{key1,nobody}'", keys, "'{}'", "0", "'exempt:group:new'", "'exempt:group:'", "5", "86400000", "3600000"],
      "throttle",
    ],
    ["opening of a session", sessions.open, openingWith("null"), "sessions"],
    [
      "opening of a session with seats",
      sessions.open,
      openingWith(`'[{"name": "Rare", "seats": 1, "kind": "user"}, {"name": "other", "seats": 1, "kind": "device"}]'`),
      "sessions",
    ],
    [
      "opening of a session on a basis",
      sessions.open,
      openingWith(
        "null",
        `'[{"kind": "ban", "id": "1", "version": 0}, {"kind": "appRules", "id": "1", "version": 0}]'`,
      ),
      "records",
    ],
  ] as const)("uses an index with every parameter: %s", async (_, statement, parameters, table) => {
    await database.admin.query("set plan_cache_mode = force_generic_plan");
    // Statistics of earlier statements arrive with a delay of a second and would be counted for this transaction.
    await database.admin.query("select pg_stat_force_next_flush()");
    await database.admin.query("begin");
    await database.admin.query(`prepare tried as ${statement.text}`);
    await database.admin.query(`execute tried (${parameters.join(", ")})`);
    const { rows } = await database.admin.query(
      "select seq_scan, idx_scan > 0 as indexed from pg_stat_xact_user_tables where schemaname = 'test' and relname = $1",
      [table],
    );
    await database.admin.query("rollback");
    await database.admin.query("deallocate tried");
    expect(rows).toEqual([{ seq_scan: "0", indexed: true }]);
  });

  test("reads the counters and the index of restricted objects to count a class", async () => {
    const nodes = await nodesOf(objects.count, ["'{Rare}'", "'{1}'"], "auto");
    expect(indexesOf(nodes)).toContain("objects_restricted");
    // The counters of few classes are few rows, which some versions of Postgres scan.
    expect(scannedWhole(nodes).filter((relation) => relation !== "object_counts")).toEqual([]);
  });

  test("keeps generic plans for lists, objects and changes", async () => {
    const { knex, close } = database.connect({ pool: { max: 1 } });
    const { repositories: r } = database.storage({ knex });
    const visibility = { classes: new Set(["File", "Rare"]), principals: new Set(["1"]) };
    for (let call = 0; call < 10; call += 1) {
      await r.objects.find({ classes: ["File"] }, visibility, { offset: 0, limit: 50 });
      await r.objects.find({ classes: ["Rare", "File"] }, visibility, { offset: 10, limit: 50 });
      await r.objects.get(["1", "2", "3"], visibility);
      await r.objects.get(["1"], visibility);
      await r.objects.outlines(["1", "2", "3"], visibility);
      await r.objects.changes({ classes: ["File"], after: { stamp: 1, id: null }, upTo: 9e12, limit: 81 + call });
    }
    const { rows } = await knex.raw("select name, custom_plans from pg_prepared_statements where generic_plans = 0");
    expect(rows).toEqual([]);
    await close();
  });

  test("extends a session without touching an index", async () => {
    const offset = 200_000;
    const storage = database.storage({ clockOffset: () => offset });
    const { rows: before } = await database.admin.query("select ctid from test.sessions where digest = sha256('s1')");
    const request = { appKey: digestOf("k1"), session: digestOf("s1"), idleTimeout: 1_800_000 };
    expect((await storage.repositories.admission.admit(request)).session).not.toBeNull();
    const { rows: after } = await database.admin.query("select ctid from test.sessions where digest = sha256('s1')");
    const page = (row: unknown) => /\((\d+),/.exec((row as { ctid: string }).ctid)?.[1];
    // A row update on the same page without indexed columns changes the heap only.
    expect(page(after[0])).toBe(page(before[0]));
    expect(after).not.toEqual(before);
  });
});
