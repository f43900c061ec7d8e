import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isFullRun } from "@sallyport/test-kit/scope";

const root = join(import.meta.dirname, "../../..");

describe("examples", () => {
  const examples = readdirSync(join(root, "packages/testing/examples"));

  test("are four", () => expect(examples).toHaveLength(4));

  if (isFullRun)
    test.each(examples)(
      "%s passes its tests",
      async (name) => {
        const { code, text } = await new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
          const args = [join(root, ".ci/examples.mjs"), name];
          const env = { ...process.env, NODE_OPTIONS: "", TEST_SCOPE: "" };
          execFile(process.execPath, args, { env, timeout: 280_000 }, (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
          );
        });
        expect({ code, text: code === 0 ? "" : text }).toEqual({ code: 0, text: "" });
      },
      300_000,
    );
});
