import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportAdmin } from "@sallyport/client/admin";
import { startTestService, type TestService } from "@sallyport/testing";
import {
  contractCoverage,
  type Minimum,
  reportCoverage,
  runCoverage,
  startCoverage,
} from "@sallyport/testing/coverage";
import JestReporter from "@sallyport/testing/jest-reporter";
import { VitestCoverageReporter } from "@sallyport/testing/vitest-reporter";
import { tickets } from "../content.ts";

/** Runs the command and returns its exit code and output. */
async function run(...args: string[]) {
  let text = "";
  const stream = { write: (more: string) => void (text += more) };
  const code = await runCoverage(args, { stdout: stream, stderr: stream });
  return { code, text };
}

describe("coverage", () => {
  let folder: string;
  let service: TestService;

  /** The command removes the records that it has read. */
  const copyOfRecords = (): string => {
    const copy = mkdtempSync(join(folder, "copy-"));
    cpSync(join(folder, "run"), copy, { recursive: true });
    return copy;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-coverage-"));
    startCoverage({ folder: join(folder, "run") });
    service = await startTestService({
      databases: { "": tickets },
      listen: true,
    });
    await service.anonymous().get("/_CheckSession");
    await service.as("ada", { mode: "secure" }).get("/_CheckSession").expect(200);
    await service.as("ada").get("/v1/object/999999").expect(404);
    await service
      .as("ada")
      .post("/v1/multi")
      .send([{ method: "GET", path: "/v1/model/structure" }]);
    const admin = new SallyportAdmin({ baseUrl: service.url, appKey: await service.administrationKey() });
    await admin.logIn({ user: "root", password: "root" });
    await admin.apps.list();
  });
  afterAll(async () => {
    delete process.env["SALLYPORT_COVERAGE"];
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test("tells the routes, codes and modes that were exercised, also by items of multi requests", async () => {
    let text = "";
    const [json, badge] = [join(folder, "coverage.json"), join(folder, "badge.svg")];
    const { coverage, failure } = await reportCoverage({ json, badge, write: (more) => void (text += more) });
    expect(failure).toBeNull();
    expect(coverage.codes.exercised).toEqual([200, 304]);
    expect(coverage.routes.exercised).toEqual(
      expect.arrayContaining(["GET /_CheckSession", "POST /v1/login", "GET /v1/model/structure"]),
    );
    expect(coverage.pairs.exercised).toEqual(
      expect.arrayContaining(["GET /_CheckSession 0", "GET /_CheckSession 200"]),
    );
    expect(coverage.administration.exercised).toEqual(["POST /admin/v1/login", "GET /admin/v1/apps"]);
    expect(coverage.modes?.exercised).toEqual(["session", "secure"]);
    expect(coverage.neverWithoutSession).not.toContain("GET /_CheckSession");
    expect(coverage.neverWithoutSession).toContain("POST /v1/multi");
    expect(text).toMatch(/^ {2}2 of 90 codes \(2 %\)$/m);
    expect(text).toMatch(/^ {2}2 of \d+ routes of administration \(\d %\)\n {6}never called: /m);
    expect(text).toMatch(/^ {2}2 of 4 log-in modes\n {6}without a success: token, encrypted$/m);
    expect(text).toMatch(/^ {2}\d+ routes never called without a session$/m);
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(coverage);
    expect(readFileSync(badge, "utf8")).toContain("<title>contract: 2 codes, ");
  });

  test("fails below the minimum, in every reporter", async () => {
    const options = { folder: join(folder, "run"), min: 50, write: () => {} };
    const failure = "% of the routes, not 50 %; 2 % of the codes, not 50 %.";
    expect((await reportCoverage(options)).failure).toContain(failure);
    const { code, text } = await run(copyOfRecords(), "--min", "50");
    expect([code, text]).toEqual([1, expect.stringContaining(failure)]);
    expect((await run(copyOfRecords(), "--min", "2")).code).toBe(0);

    const empty = { ...options, folder: join(folder, "empty") };
    const jest = new JestReporter(null, empty);
    expect(jest.getLastError()).toBeUndefined();
    await jest.onRunComplete();
    expect(jest.getLastError()?.message).toBe(
      "The contract coverage is too low: 0 % of the routes, not 50 %; 0 % of the codes, not 50 %.",
    );
    await new VitestCoverageReporter({ ...empty, min: 0 }).onTestRunEnd();
    expect(process.exitCode).toBeUndefined();
  });

  test("removes its own records, and no other file", async () => {
    const mixed = copyOfRecords();
    mkdirSync(join(mixed, "lcov"));
    writeFileSync(join(mixed, "lcov", "a.exercises.jsonl"), "");
    writeFileSync(join(mixed, "exercises.jsonl.txt"), "");
    const others = ["exercises.jsonl.txt", "lcov"];
    expect(readdirSync(mixed)).toHaveLength(3);
    expect((await run(mixed, "--json", mixed)).code).toBe(2);
    expect(readdirSync(mixed)).toHaveLength(3);
    expect((await run(mixed, "--min", "2")).code).toBe(0);
    expect(readdirSync(mixed).toSorted()).toEqual(others);
    expect((await run(mixed, "--min", "1")).code).toBe(1);

    cpSync(join(folder, "run"), mixed, { recursive: true });
    const recording = process.env["SALLYPORT_COVERAGE"];
    startCoverage({ folder: mixed });
    process.env["SALLYPORT_COVERAGE"] = recording;
    expect(readdirSync(mixed).toSorted()).toEqual(others);
    expect(readdirSync(join(mixed, "lcov"))).toEqual(["a.exercises.jsonl"]);
  });

  test("has a minimum for each kind, in options, the environment and the command", async () => {
    const run50 = join(folder, "run");
    const failureOf = async (min?: Minimum) =>
      (await reportCoverage({ folder: run50, write: () => {}, ...(min === undefined ? {} : { min }) })).failure;
    expect(await failureOf({ codes: 2, modes: 50, administration: 1 })).toBeNull();
    expect(await failureOf({ routes: 0, modes: 51 })).toBe(
      "The contract coverage is too low: 50 % of the log-in modes, not 51 %.",
    );
    expect((await run(copyOfRecords(), "--min", "codes=3,pairs=90, administration=90")).text).toMatch(
      /: 2 % of the codes, not 3 %; \d % of the codes of routes, not 90 %; \d % of the routes of administration, not 90 %\.$/m,
    );
    process.env["SALLYPORT_COVERAGE_MIN"] = "modes=75";
    try {
      expect(await failureOf()).toContain("50 % of the log-in modes, not 75 %");
    } finally {
      delete process.env["SALLYPORT_COVERAGE_MIN"];
    }
    for (const min of ["routes", "routes=", "routes=1=2", "routes=101", ""])
      expect((await run(run50, "--min", min)).text).toContain("must be a number from 0 to 100");
    expect((await run(run50, "--min", "lines=80")).text).toContain(
      'There is no kind "lines". Kinds are routes, codes, pairs, modes, administration.',
    );
    await expect(failureOf({ codes: 200 })).rejects.toThrow('unlike "{"codes":200}"');
  });

  test("reads the access log of a server, which does not tell the modes", async () => {
    const log = join(folder, "server.log");
    const line = (route: string, code: number) => JSON.stringify({ level: "info", method: "GET", route, code });
    writeFileSync(log, `${line("/_CheckSession", 0)}\nStarted\n{"broken\n${line("/nothing", 304)}\n`);
    const { code, text } = await run(log);
    expect(code).toBe(0);
    expect(text).toMatch(/^Contract coverage\n {2}1 of \d+ routes /);
    expect(text).not.toContain("modes");
    expect(text).not.toContain("administration");
    expect((await run(log, "--min", "modes=1")).text).toContain("unknown of the log-in modes, not 1 %");
    expect((await run(join(folder, "missing"))).code).toBe(2);
    expect((await run()).text).toContain("The folder or log is missing.");
    expect((await run(log, "--min", "101")).text).toContain("from 0 to 100");
  });

  test("is complete if every declared code of every route was answered", () => {
    const routes = [{ method: "GET", path: "/a", needsSession: true, codes: [200, 304] }];
    const exercises = [0, 200, 304].map((code) => ({ method: "GET", route: "/a", code, mode: null }));
    const coverage = contractCoverage(exercises, routes);
    expect([coverage.routes.percent, coverage.pairs.percent, coverage.neverWithoutSession]).toEqual([100, 100, []]);
    expect(contractCoverage([], routes)).toMatchObject({ routes: { percent: 0 }, modes: null });
  });
});
