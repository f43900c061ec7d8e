import type { Case } from "./cases/case.ts";
import { checkAnswer } from "./cases/check-answer.ts";
import { type CodeFixture, openCodeFixture } from "./cases/code-fixture.ts";
import { appKey, checkDeclared } from "./cases/run-cases.ts";
import { sendCase } from "./cases/send-case.ts";
import { preparedCases } from "./cases/prepared-cases.ts";

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
