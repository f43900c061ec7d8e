import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = join(import.meta.dirname, "..", "modules");
const program = join(import.meta.dirname, "..", "..", "dist", "main.js");

/** Milliseconds for a comparison in a process of its own, on a machine that has other things to do. */
const patience = 120_000;

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

function node(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd: modules }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
  });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-differential-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["a query", "dictionary-order.mjs", 'kind: "query"'],
  ["a history", "lost-update.mjs", 'kind: "history"'],
])(
  "what is printed of %s fails with the adapter, and passes with the reference",
  async (_title, module, kind) => {
    const json = join(folder, `${module}.json`);
    const compared = await node(program, `./${module}`, "--differential", "1000", "--seed", "7", "--json", json);
    expect(compared.code).toBe(1);
    expect(compared.stdout).toContain(`Again: npx sallyport-conformance ./${module} --differential 1000 --seed 7`);
    const printed = /^\/\/ Found with the seed 7\.[^]*/m.exec(compared.stdout)?.[0] ?? "";
    expect(printed).toContain(kind);

    const report = JSON.parse(await readFile(json, "utf8"));
    expect(report).toMatchObject({
      format: "sallyport-differential",
      version: 1,
      reference: "MemoryStorage",
      queries: 1_000,
      histories: 50,
      seed: 7,
      test: printed,
    });
    expect(report.difference.actual).not.toEqual(report.difference.expected);

    const asModule = (text: string) => node("--input-type=module", "--eval", text);
    const failed = await asModule(printed);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/AssertionError|ERR_ASSERTION/);
    const reference = printed.replace(`./${module}`, "./memory.mjs");
    expect(reference).not.toBe(printed);
    expect(await asModule(reference)).toMatchObject({ code: 0 });
  },
  patience,
);

test(
  "an adapter without a difference is told of in a line",
  async () => {
    const json = join(folder, "memory.json");
    const { code, stdout } = await node(program, "memory.mjs", "--differential", "50", "--seed", "3", "--json", json);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "MemoryStorage does as MemoryStorage does: 50 random queries and 3 random histories of writes, seed 3.\n",
    });
    expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({ difference: null, queries: 50 });
  },
  patience,
);
