import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRun, writeRun } from "./run-file.ts";
import { reasonAgainstTurns } from "./compare-builds.ts";
import { alternate, BuildInTurns, turnsOf } from "./turns.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-turns-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** A program that notes each step in a common file. */
const program = (end: string) => `
  import { appendFileSync } from "node:fs";
  import { once } from "node:events";
  const [file, name, rounds] = process.argv.slice(2);
  appendFileSync(file, name + " prepares\\n");
  for (let round = 0; round < Number(rounds); round += 1) {
    process.send("turn");
    await once(process, "message");
    appendFileSync(file, name + " " + round + "\\n");
  }
  ${end}
`;

async function steps(first: { rounds: number; end?: string }, second: { rounds: number }) {
  const file = join(folder, "steps");
  await appendFile(file, "");
  const builds = [];
  for (const [name, { rounds, end = "process.exit(0)" }] of Object.entries<typeof first>({ a: first, b: second })) {
    const main = join(folder, `${name}.mjs`);
    await writeFile(main, program(end));
    builds.push(new BuildInTurns(main, [file, name, String(rounds)]));
  }
  await alternate(builds as [BuildInTurns, BuildInTurns]);
  return (await readFile(file, "utf8")).trimEnd().split("\n");
}

test("two builds prepare, and measure in turn, every other round in reverse", async () => {
  const seen = await steps({ rounds: 3 }, { rounds: 3 });
  expect(seen).toEqual(["a prepares", "b prepares", "a 0", "b 0", "b 1", "a 1", "a 2", "b 2"]);
});

test("a build that fails does not hold up the other", async () => {
  const seen = await steps({ rounds: 1, end: "process.exit(1)" }, { rounds: 2 });
  expect(seen.filter((step) => step.startsWith("b"))).toEqual(["b prepares", "b 0", "b 1"]);
});

test("a build that dies between two of its turns keeps its complaint, and does not hold up the other", async () => {
  const dying = 'process.send("turn", () => process.stderr.write("out of memory", () => process.exit(1)));';
  const [first, second, file] = ["a.mjs", "b.mjs", "steps"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(first, dying);
  await writeFile(second, program("process.exit(0)"));
  const builds = [new BuildInTurns(first, []), new BuildInTurns(second, [file, "b", "2"])] as const;
  await alternate(builds);
  expect(await readFile(file, "utf8")).toBe("b prepares\nb 0\nb 1\n");
  expect(builds[0].complaint).toBe("out of memory");
});

test("builds of many rounds cause no warning of too many listeners", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  try {
    await steps({ rounds: 12 }, { rounds: 12 });
  } finally {
    process.off("warning", note);
  }
  expect(warnings).toEqual([]);
});

test("a bench that runs alone does not wait", async () => {
  await expect(turnsOf({ send: undefined } as never)()).resolves.toBeUndefined();
});

test("a run names its build, which is measured in turn only if it is still there", async () => {
  const file = join(folder, "run.json");
  await writeRun(file, { rounds: 6, seconds: 2, warmUp: 2 }, []);
  const run = await readRun(file);
  expect(run).toMatchObject({ build: { directory: expect.stringMatching(/^\//) }, outcomes: [] });
  expect(await reasonAgainstTurns(run)).toMatch("of this directory");
  const gone = { ...run, build: { ...run.build, directory: folder } };
  expect(await reasonAgainstTurns(gone)).toMatch("contains no built bench");
});

test("figures without a build are refused", async () => {
  const file = join(folder, "run.json");
  await writeFile(file, JSON.stringify({ outcomes: [] }));
  await expect(readRun(file)).rejects.toThrow("does not name its build");
});
