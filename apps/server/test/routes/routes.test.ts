import { catalogue, type ErrorCode, extensions } from "@sallyport/storage";
import { administrationOperations, databaseOperations, declaredErrors, operationsOf } from "@sallyport/contract";
import { allCases, type Case, checkAnswer, checkRaw, rawCases, sendCase } from "@sallyport/testing/acceptance";
import { type CodeFixture, openCodeFixture } from "../cases/code-fixture.ts";
import { gateCases } from "../cases/gate-cases.ts";
import { preparedCases } from "../cases/prepared-cases.ts";
import { checkDeclared } from "../cases/declared.ts";
import { runCases, appKey, type Subject } from "../cases/run-cases.ts";
import { syncCases } from "../cases/sync-cases.ts";
import { onEngines } from "../engines.ts";

/** The whole black-box suite against a server with the demo. */
function demoSuite(subject: () => Subject): void {
  describe.each(Object.entries(allCases))("%s", (_name, cases) => {
    runCases(subject, cases);
  });
  describe("raw HTTP", () => {
    test.each(rawCases.map((each) => [each.title, each] as const))("%s", async (_title, each) => {
      await expect(checkRaw(subject().url, each)).resolves.toBeUndefined();
    });
  });
}

onEngines("demo", demoSuite);

describe("staged cases", () => {
  let fixture: CodeFixture;
  beforeAll(async () => {
    fixture = await openCodeFixture();
  }, 60_000);
  afterEach(() => {
    fixture.script.clear();
    fixture.providers.fakes.clearFaults();
  });
  afterAll(() => fixture.close());

  test.each([...preparedCases, ...syncCases, ...gateCases].map((each) => [each.code, each.title, each] as const))(
    "%i: %s",
    async (code, title, { prepare, fault }) => {
      const { path, ...request } = await prepare(fixture);
      if (fault !== undefined) fixture.script.add(fault);
      const sent: Case = { title, path, ...request, expect: { code } };
      const answer = await sendCase(sent, { url: fixture.server.url, path, appKey });
      checkAnswer(sent, code, answer, "clear");
      checkDeclared(sent.method ?? "GET", path, answer.status, code);
    },
  );
});

describe("error registry", () => {
  const codes: ErrorCode[] = [...catalogue, ...extensions].map(({ code }) => code);
  const declared = new Set(
    [...operationsOf(databaseOperations), ...operationsOf(administrationOperations)].flatMap(declaredErrors),
  );
  const ascending = (a: number, b: number) => a - b;

  const ofCases = Object.values(allCases)
    .flat()
    .map(({ expect: { code } }) => code)
    .filter((code) => code !== 0);
  /** The codes that the tables of cases expect over HTTP. */
  const provoked = [...new Set([...ofCases, ...[...preparedCases, ...syncCases].map(({ code }) => code)])];

  test("every code is caused over HTTP by a case, 90 of 90 in the catalogue", () => {
    expect(catalogue).toHaveLength(90);
    expect(provoked.toSorted(ascending)).toEqual(codes.toSorted(ascending));
  });

  test("the declared codes of routes are the codes of the cases", () => {
    expect(provoked.toSorted(ascending)).toEqual([...declared].toSorted(ascending));
  });
});
