import { objectIdOf } from "@sallyport/storage";
import { Applications, appRulesKind, banKind, deviceKind } from "@sallyport/core";
import {
  comparison,
  getRequests,
  type ReadySchema,
  rotateCredentials,
  smallRows,
  spreadIndexes,
} from "../comparison/bench-environment.ts";
import type { ComparisonResult } from "../comparison/compare-candidates.ts";
import { logInRequest } from "../comparison/log-in.ts";
import { atLeast, atMost, type Outcome } from "../comparison/outcome.ts";
import type { BenchDatabase } from "../database/bench-database.ts";
import { sessionIdOf, withStorage } from "../database/prepare-schema.ts";
import type { LoadRequest } from "../processes/load-generator.ts";

const counts = { devices: 100_000, bans: 5_000, rules: 5_000, takenSeats: 10_000 } as const;
const crowded = "crowded";

/**
 * Log-ins and reads where many devices, bans, app rules and taken seats are stored, compared with a database without any.
 * The hash is as cheap as it can be. No stored ban or rule is about the users of the load.
 */
export const gateScenario = comparison("gate", async (bench) => {
  const plain = await bench.smallSchema();
  const ruled = await bench.schema("sallyport_ruled", smallRows);
  await storeRules(bench.database, ruled);
  const product = await bench.startProduct({ "": plain.schema, ruled: ruled.schema }, { cheapHashes: true });
  const reads = (schema: ReadySchema, alias: string) => {
    const ids = spreadIndexes(smallRows.sessions).map((place) => sessionIdOf(place + 1));
    const paths = spreadIndexes(schema.articles).map(
      (at) => `${alias}/v1/object/${objectIdOf(schema.firstArticle + at)}`,
    );
    return getRequests(paths, rotateCredentials(schema.appKey, ids));
  };
  return {
    candidates: [
      bench.loaded("log-in", product, logInsTo(plain.appKey, "", "bench")),
      bench.loaded("log-in with rules", product, logInsTo(ruled.appKey, "/ruled", crowded)),
      bench.loaded("read", product, reads(plain, "")),
      bench.loaded("read with rules", product, reads(ruled, "/ruled")),
    ],
    lines: [
      {
        scenario: "log-ins with rules, seats and rates",
        ours: "log-in with rules",
        limit: "log-in",
        bound: atLeast(0.9),
      },
      { scenario: "reads with rules and rates", ours: "read with rules", limit: "read", bound: atLeast(0.97) },
      (result) => addedBackendCpu(result, "log-in with rules", "log-in"),
    ],
  };
});

/** Postgres CPU of our candidate divided by that of the other one. */
function addedBackendCpu(result: ComparisonResult, ours: string, limit: string): Outcome {
  const [a, b] = [result.of(ours).backendCpu ?? Number.NaN, result.of(limit).backendCpu ?? Number.NaN];
  return {
    scenario: "Postgres CPU of a log-in with rules",
    unit: "ms",
    ours: a / 1_000,
    limit: b / 1_000,
    limitName: limit,
    ratio: a / b,
    bound: atMost(1.03),
  };
}

function logInsTo(appKey: string, alias: string, appName: string): LoadRequest[] {
  return Array.from({ length: smallRows.users }, (_, index) => {
    const { body = "{}", path, ...request } = logInRequest(appKey, index + 1);
    const fields = JSON.parse(body) as object;
    const device = { deviceId: `device of ${index}` };
    return { ...request, path: `${alias}${path}`, body: JSON.stringify({ ...fields, appNames: [appName], device }) };
  });
}

/** Above all versions that the storage has given. */
const firstVersion = 1_000_000_000_000;

/** Stores devices, bans, rules, taken seats and rates by SQL, which takes seconds. Through the API it takes minutes. */
async function storeRules(database: BenchDatabase, { schema, appKeyId }: ReadySchema): Promise<void> {
  await withStorage(database.address, schema, async ({ repositories: { records, settings } }) => {
    await new Applications(records).create({ name: crowded, seats: 10 * counts.takenSeats });
    const rates = Object.fromEntries(
      ["address", "appKey", "session"].flatMap((kind) => [
        [`rates.${kind}.perMinute`, 10_000_000],
        [`rates.${kind}.burst`, 10_000_000],
      ]),
    );
    await records.put("limits", "current", rates);
    await settings.raise();
  });
  const insert = (kind: string, id: string, value: string, count: number) =>
    database.run(
      `insert into ${schema}.records (kind, id, value, version, born, created_at, expires_at)
       select $1, ${id}, ${value}, $2::bigint + n, $2::bigint + n, now(), 'infinity' from generate_series(1, $3::int) n`,
      [kind, firstVersion, count],
    );
  const device = "jsonb_build_object('kind', 'device', 'deviceId', 'other ' || n)";
  const digest = "encode(sha256(('other ' || n)::bytea), 'hex')";
  await insert(
    deviceKind,
    `'user:' || n || ' device:' || ${digest}`,
    "jsonb_build_object('userId', n::text, 'deviceId', 'other ' || n, 'says', '{}'::jsonb, 'firstSeen', 0, 'lastSeen', 0, 'registered', false)",
    counts.devices,
  );
  await insert(
    banKind,
    `'device:' || ${digest}`,
    `jsonb_build_object('subject', ${device}, 'reason', '', 'from', 0, 'until', null, 'begun', true)`,
    counts.bans,
  );
  await insert(
    appRulesKind,
    `'device:' || ${digest}`,
    `jsonb_build_object('subject', ${device}, 'rules', jsonb_build_array(jsonb_build_object('app', '${crowded}', 'access', 'forbid', 'reason', '')))`,
    counts.rules,
  );
  await database.run(
    `insert into ${schema}.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
     select sha256(('taken' || n)::bytea), 'session', $1, -n, 1, jsonb_build_array($3::text), now(), now() + interval '12 hours', now() + interval '12 hours'
     from generate_series(1, $2::int) n`,
    [appKeyId, counts.takenSeats, crowded],
  );
  await database.run(
    `update ${schema}.session_counts set sessions = sessions + $1, opened = opened + $1 where shard = 0`,
    [counts.takenSeats],
  );
  await database.run(`vacuum analyze ${schema}.sessions, ${schema}.records`);
}
