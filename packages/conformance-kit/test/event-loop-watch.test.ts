import { execFile } from "node:child_process";
import { join } from "node:path";
import { silenceWords } from "../src/watch/silence-words.ts";

const folder = join(import.meta.dirname, "modules");
const checks = ["can be closed without ever being migrated", "is healthy when it is migrated"];
const chosen = checks.flatMap((name) => ["--check", name]);

/** Runs the command with a short patience; it ends by itself, as no `process.exit` helps. */
function run(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["soon-told.mjs", ...args],
      { cwd: folder, timeout: 60_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

test("an adapter that gives the event loop no turn is told once, with the checks that run", async () => {
  const { code, stdout, stderr } = await run("hog.mjs", ...chosen);
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${silenceWords(checks, 900)}\n` });
  expect(stdout).toContain("2 passed, 0 failed");
}, 60_000);

test("nothing is told of an adapter that keeps the event loop going, and the watch keeps nothing alive", async () => {
  expect(await run("memory.mjs", "--section", "throttle")).toMatchObject({ code: 0, stderr: "" });
}, 60_000);

test("the line names what runs, and what to do", () => {
  expect(silenceWords(["share one clock"], 30_000)).toBe(
    'The adapter has given the event loop no turn for 30 s, while this check runs: "share one clock". No timer fires, the time limit of the checks neither; let the adapter await setImmediate once per call or transaction.',
  );
  expect(silenceWords([], 30_000)).toMatch(
    /^The adapter has given the event loop no turn for 30 s, while no check runs\. /,
  );
});
