import { Applications } from "@sallyport/core";
import { atLeast } from "../comparison/outcome.ts";
import { comparison, smallRows } from "../comparison/bench-environment.ts";
import { logInRequest } from "../comparison/log-in.ts";
import { withStorage } from "../database/prepare-schema.ts";
import type { LoadRequest } from "../processes/load-generator.ts";

/** For each app name, the sessions that hold a seat of it before the measurement. */
const sessionCount = 10_000;

/** From many free seats to none. The users of the log-ins take a seat each, and keep it. */
const applications = [
  { name: "without limit", seats: null },
  { name: "many seats free", seats: 10 * sessionCount },
  { name: "few seats free", seats: sessionCount + smallRows.users + 50 },
  { name: "no seat free", seats: sessionCount + smallRows.users },
] as const;

/**
 * Log-ins to an app name with 10,000 taken seats, compared with one without a limit. The hash is as cheap as it can be.
 * Each user logs in on one device, so that the number of sessions does not grow.
 */
export const seatScenario = comparison("seats", async (bench) => {
  const { appKey, appKeyId, schema } = await bench.smallSchema();
  const names = applications.map(({ name }) => name);
  await withStorage(bench.database.address, schema, async ({ repositories: { records } }) => {
    for (const application of applications) await new Applications(records).create(application);
  });
  // Users with negative ids hold the seats. No log-in is theirs.
  await bench.database.run(
    `insert into ${schema}.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
     select sha256((name || n)::bytea), 'session', $1, -n, 1, jsonb_build_array(name), now(), now() + interval '12 hours', now() + interval '12 hours'
     from generate_series(1, $2::int) n, unnest($3::text[]) name`,
    [appKeyId, sessionCount, names],
  );
  await bench.database.run(
    `update ${schema}.session_counts set sessions = sessions + $1, opened = opened + $1 where shard = 0`,
    [sessionCount * names.length],
  );
  await bench.database.run(`vacuum analyze ${schema}.sessions`);
  const product = await bench.startProduct({ "": schema }, { cheapHashes: true });
  const [unlimited, ...limited] = names as [string, ...string[]];
  return {
    candidates: names.map((name) => bench.loaded(name, product, logInsTo(appKey, name))),
    lines: limited.map((name) => ({
      scenario: `log-ins with 10,000 taken seats, ${name}`,
      ours: name,
      limit: unlimited,
      bound: atLeast(0.9),
    })),
  };
});

function logInsTo(appKey: string, appName: string): LoadRequest[] {
  return Array.from({ length: smallRows.users }, (_, index) => {
    const { body = "{}", ...request } = logInRequest(appKey, index + 1);
    const fields = JSON.parse(body) as object;
    const device = { deviceId: `${appName} ${index}` };
    return { ...request, body: JSON.stringify({ ...fields, appNames: [appName], device }) };
  });
}
