import { type Case, type CaseCheck, caseChecks, DemoServer } from "@sallyport/testing/acceptance";
import type { LogInMode } from "@sallyport/client";
import request from "supertest";
import { testedModes } from "../modes.ts";
import { appKey, type Subject } from "../subject.ts";

export { appKey, type Subject } from "../subject.ts";

/** Logs in and returns the session id. */
export async function logIn(
  { url }: Subject,
  user: string,
  more: Record<string, unknown> = {},
  alias = "",
): Promise<string> {
  const body = { user, pass: user, appNames: ["demo-app"], ...more };
  const answer = await request(url).post(`${alias}/v1/login`).set("appkey", appKey).send(body);
  if (answer.status !== 200) throw new Error(`Log-in of ${user} failed: ${answer.text}`);
  return answer.body.data.sessionId;
}

/** Runs cases against one server; each is a Jest test. The command `acceptance` runs the same against any server. */
export function runCases(
  subject: () => Subject,
  cases: readonly Case[],
  tried: readonly LogInMode[] = testedModes,
): void {
  let demo: DemoServer;
  beforeAll(() => {
    demo = new DemoServer(subject().url);
  });
  afterAll(() => demo.close());

  const checks = caseChecks(cases, tried);
  const define = (ofMode: readonly CaseCheck[]) => {
    if (ofMode.length > 0)
      test.each(ofMode.map((each) => [each.title, each] as const))("%s", async (_title, { run }) => {
        await expect(run(demo)).resolves.toBeUndefined();
      });
  };
  define(checks.filter(({ mode }) => mode === null));
  for (const mode of tried) {
    const ofMode = checks.filter((each) => each.mode === mode);
    if (ofMode.length > 0) describe(`in mode ${mode}`, () => define(ofMode));
  }
}
