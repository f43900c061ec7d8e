import type { Case } from "./cases/case.ts";
import { checkAnswer } from "./cases/check-answer.ts";
import { type CodeStage, openCodeStage } from "./cases/code-stage.ts";
import { appKey, checkDeclared } from "./cases/run-cases.ts";
import { sendCase } from "./cases/send-case.ts";
import { stagedCases } from "./cases/staged-cases.ts";

let stage: CodeStage;
beforeAll(async () => {
  stage = await openCodeStage();
}, 60_000);
afterEach(() => stage.script.clear());
afterAll(() => stage.close());

test.each(stagedCases.map((each) => [each.code, each.title, each] as const))(
  "%i: %s",
  async (code, title, { prepare, fault }) => {
    const { path, ...request } = await prepare(stage);
    if (fault !== undefined) stage.script.add(fault);
    const sent: Case = { title, path, ...request, expect: { code } };
    const answer = await sendCase(sent, { url: stage.server.url, path, appKey });
    checkAnswer(sent, code, answer, "clear");
    checkDeclared(sent, path, answer.status, code);
  },
);
