import { benchOptions } from "./bench-options.ts";
import { type Candidate, compareCandidates, median } from "./comparison/compare-candidates.ts";
import { type Outcome, page, verdictOn } from "./comparison/outcome.ts";
import { areaOf } from "./comparison/profile.ts";
import { spreadIndexes } from "./comparison/bench-environment.ts";
import { backendCpuBetween } from "./database/bench-database.ts";

test("all scenarios run by default", () => {
  expect(benchOptions([], ["read"])).toEqual({
    only: undefined,
    quick: false,
    size: 1_000_000,
    figures: false,
    json: undefined,
    profile: undefined,
    compare: undefined,
  });
});

test("arguments are parsed", () => {
  const args = ["--only", "read", "--quick", "--figures", "--json", "figures.json", "--compare", "earlier.json"];
  expect(benchOptions(args, ["read"])).toEqual({
    only: "read",
    quick: true,
    size: 100_000,
    figures: true,
    json: "figures.json",
    profile: undefined,
    compare: "earlier.json",
  });
});

test.each([
  [["--only", "write"]],
  [["--fast"]],
  [["read"]],
  [["--profile", "profiles", "--compare", "earlier.json"]],
  [["--size", "many"]],
  [["--size", "10"]],
])("arguments %j are refused", (args) => {
  expect(() => benchOptions(args, ["read"])).toThrow(/--only|--fast|positional|--profile|--size/);
});

/** Returns the figures of a list one after the other, and records each call. */
function scripted(name: string, perSecond: number[], calls: string[]): Candidate {
  const left = [...perSecond];
  return {
    name,
    measure: async (seconds) => {
      calls.push(`${name} ${seconds}`);
      return { perSecond: left.shift() ?? 0, cpu: 10, backendCpu: null, p50: 1, p99: 2 };
    },
  };
}

const plan = { quick: false, size: 0, rounds: 3, seconds: 2, warmUp: 1, turn: async () => {} };

test("a comparison measures in turn, every other round in reverse", async () => {
  const calls: string[] = [];
  await compareCandidates([scripted("a", [], calls), scripted("b", [], calls)], plan);
  expect(calls).toEqual(["a 1", "b 1", "a 2", "b 2", "b 2", "a 2", "a 2", "b 2"]);
});

test("a comparison leaves the warm-up out and compares round by round", async () => {
  const candidates = [scripted("a", [1, 50, 10, 40], []), scripted("b", [1, 100, 40, 50], [])];
  const result = await compareCandidates(candidates, plan);
  expect(result.of("a")).toEqual({ perSecond: 40, cpu: 10, backendCpu: null, p50: 1, p99: 2 });
  expect(result.ratio("a", "b")).toBe(0.5);
});

test("a comparison refuses an unknown candidate", async () => {
  const result = await compareCandidates([scripted("a", [], [])], plan);
  expect(() => result.of("b")).toThrow("There is no candidate b.");
});

test("the median is the middle value", () => {
  expect(median([5, 1, 9])).toBe(5);
});

test("the median of an even number is the mean of the two middle values", () => {
  expect(median([4, 1, 9, 2])).toBe(3);
});

test("the median without values is NaN", () => {
  expect(median([])).toBeNaN();
});

const outcome = (figure: Partial<Outcome>): Outcome => ({ scenario: "read", unit: "1/s", ours: 100, ...figure });
const atLeast = { direction: "atLeast", wanted: 0.75, goal: 0.95 } as const;
const atMost = { direction: "atMost", wanted: 30 } as const;

test.each([
  [outcome({ ratio: 0.95, bound: atLeast }), "goal"],
  [outcome({ ratio: 0.94, bound: atLeast }), "met"],
  [outcome({ ratio: 0.74, bound: atLeast }), "missed"],
  [outcome({ ours: 30, bound: atMost }), "met"],
  [outcome({ ours: 30.1, bound: atMost }), "missed"],
  [outcome({ ours: Number.NaN, bound: atMost }), "missed"],
  [outcome({ ratio: 0.1 }), ""],
] as const)("the verdict on %j is %s", (input, verdict) => {
  expect(verdictOn(input)).toBe(verdict);
});

test("a run ends with rows, ratios, bounds and verdicts, and the bounds that are missed", () => {
  const cpu = { ours: 179, limit: 317 };
  const rows = [
    outcome({ ratio: 0.74, limit: 135, limitName: "Express", bound: atLeast, cpu, backendCpu: cpu }),
    outcome({ scenario: "delay", unit: "ms", ours: 6.5, bound: atMost }),
    outcome({ scenario: "by hand", ratio: 0.5 }),
  ];
  const [titles, , ...body] = page(rows, false).split("\n");
  const cells = (line = "") =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1);
  expect(cells(titles)).toEqual(["row", "ratio", "bound", "verdict"]);
  expect(body.slice(0, 3).map(cells)).toEqual([
    ["read, of Express", "0.74", "≥ 0.75, goal 0.95", "missed"],
    ["delay", "6.50 ms", "≤ 30 ms", "met"],
    ["by hand", "0.50", "", ""],
  ]);
  expect(body.slice(3)).toEqual(["", "1 of 2 bounds hold.", "Missed: read, of Express"]);
  expect(cells(page(rows, true).split("\n")[2]).slice(4)).toEqual(["100 1/s", "135 1/s", "179 / 317", "179 / 317"]);
});

test.each([
  [{ name: "(garbage collector)" }, "garbage collector"],
  [{ name: "writev" }, "native code and system calls"],
  [{ name: "emit", source: "node:events:471" }, "Node"],
  [{ name: "serve", source: "packages/http/dist/server/create-application.js:16" }, "packages/http"],
  [{ name: "parseRow", source: "pg/lib/result.js:63" }, "pg"],
])("a profile attributes %j to %s", (place, area) => {
  expect(areaOf(place)).toBe(area);
});

test.each([1, 500, 512, 1_000, 100_000, 1_000_000])(
  "scattered places are distinct, over the whole range of %i",
  (count) => {
    const places = spreadIndexes(count);
    expect(new Set(places).size).toBe(places.length);
    expect(places).toHaveLength(Math.min(count, 512));
    expect(Math.max(...places)).toBeLessThan(count);
    expect(Math.max(...places)).toBeGreaterThanOrEqual((count - 1) * 0.99);
  },
);

test("CPU time counts new processes, and ignores ended ones", () => {
  const before = new Map([
    [1, 100],
    [2, 50],
  ]);
  const after = new Map([
    [1, 130],
    [3, 7],
  ]);
  expect(backendCpuBetween(before, after)).toBe(37);
});
