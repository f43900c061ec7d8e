import { catalogue, type ErrorCode, extensions } from "@sallyport/core";
import { administrationTable, declaredErrors, routeTable, type UseCases } from "@sallyport/http";
import { allCases } from "./cases/all-cases.ts";
import type { Case } from "./cases/case.ts";
import { checkAnswer } from "./cases/check-answer.ts";
import { type CodeFixture, openCodeFixture } from "./cases/code-fixture.ts";
import { logInCases } from "./cases/log-in-cases.ts";
import { preparedCases } from "./cases/prepared-cases.ts";
import { runCases, appKey, checkDeclared } from "./cases/run-cases.ts";
import { sendCase } from "./cases/send-case.ts";
import { sessionCases } from "./cases/session-cases.ts";
import { demoSuite } from "./demo-suite.ts";
import { engines, onEngines, testedEngines } from "./engines.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { modes, testedModes } from "./modes.ts";
import { sessionRoutesSuite } from "./session-routes-suite.ts";

describe("routes", () => {
  onEngines("demo", demoSuite);

  // The modes and engines without suites of their own in this run.
  const otherModes = modes.filter((mode) => !testedModes.includes(mode));
  const otherEngines = engines.filter((engine) => !testedEngines.includes(engine));

  onEngines(
    "routes with a session",
    (server) => {
      describe.each(modes)("in mode %s", (mode) => {
        sessionRoutesSuite(server, mode);
      });

      describe("log-ins", () => {
        runCases(server, [...logInCases, ...sessionCases], otherModes);
      });
    },
    { environment: macroEnvironment },
  );

  onEngines(
    "routes with a session",
    (server) => {
      sessionRoutesSuite(server, "session");
    },
    { environment: macroEnvironment, on: otherEngines },
  );
});

describe("staged cases", () => {
  let fixture: CodeFixture;
  beforeAll(async () => {
    fixture = await openCodeFixture();
  }, 60_000);
  afterEach(() => fixture.script.clear());
  afterAll(() => fixture.close());

  test.each(preparedCases.map((each) => [each.code, each.title, each] as const))(
    "%i: %s",
    async (code, title, { prepare, fault }) => {
      const { path, ...request } = await prepare(fixture);
      if (fault !== undefined) fixture.script.add(fault);
      const sent: Case = { title, path, ...request, expect: { code } };
      const answer = await sendCase(sent, { url: fixture.server.url, path, appKey });
      checkAnswer(sent, code, answer, "clear");
      checkDeclared(sent, path, answer.status, code);
    },
  );
});

describe("error registry", () => {
  /** The codes that no route answers yet. */
  const notYetReachable: readonly ErrorCode[] = [
    ...([330, 332, 333, 334, 335, 336, 338] as const),
    ...([611, 714, 716, 717, 719, 720, 721] as const),
  ];

  const codes: ErrorCode[] = [...catalogue, ...extensions].map(({ code }) => code);
  // Only the declarations of the routes are read.
  const declared = new Set(
    [...routeTable({} as UseCases), ...administrationTable({} as UseCases)].flatMap(declaredErrors),
  );
  const ascending = (a: number, b: number) => a - b;

  const ofCases = Object.values(allCases)
    .flat()
    .map(({ expect: { code } }) => code)
    .filter((code) => code !== 0);
  /** The codes that the tables of cases expect over HTTP. */
  const provoked = [...new Set([...ofCases, ...preparedCases.map(({ code }) => code)])];

  test("every code is either caused over HTTP by a case or not yet reachable", () => {
    expect([...provoked, ...notYetReachable].toSorted(ascending)).toEqual(codes.toSorted(ascending));
  });

  test("the declared codes of routes are the codes of the cases", () => {
    expect(provoked.toSorted(ascending)).toEqual([...declared].toSorted(ascending));
  });
});
