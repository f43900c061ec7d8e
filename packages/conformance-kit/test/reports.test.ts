import { readFileSync } from "node:fs";
import { type AdapterUnderTest, type ConformanceRun, runChecks } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";
import { Ajv } from "ajv";
import type { Check } from "../src/check.ts";
import { badgeEndpoint, badgeOf, badgeSvg } from "../src/reports/badge.ts";
import { HumanReport } from "../src/reports/human-report.ts";
import { jsonReport } from "../src/reports/json-report.ts";
import { plainStyle, type TerminalStyle } from "../src/reports/terminal-style.ts";
import { sampleChecks, sampleRun, unwrittenRun } from "./reports/sample-run.ts";

describe("reports", () => {
  describe("badge", () => {
    const passed: ConformanceRun = { ...sampleRun, results: sampleRun.results.slice(0, 2) };

    test.each([
      ["all checks have passed", passed, "1 check passed", "#2e7d32"],
      ["some checks have failed", sampleRun, "2 of 3 checks failed", "#b71c1c"],
      ["some checks are not implemented yet", unwrittenRun, "1 of 4 checks passed", "#616161"],
      [
        "an error was thrown outside the checks",
        { ...passed, strayErrors: [new Error("terminated")] },
        "1 stray error",
        "#b71c1c",
      ],
    ])("shows on a badge that %s", (_title, run, message, color) => {
      expect(badgeOf(run)).toEqual({ label: "sallyport storage", message, color });
    });

    test("writes the endpoint format of shields.io", () => {
      expect(JSON.parse(badgeEndpoint(badgeOf(passed)))).toEqual({
        schemaVersion: 1,
        label: "sallyport storage",
        message: "1 check passed",
        color: "#2e7d32",
      });
    });

    test("writes its own image with unchanged texts", () => {
      const svg = badgeSvg({ label: 'a<b>"&"', message: "1 check passed", color: "#2e7d32" });
      expect(svg).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="20" role="img" aria-label="a&lt;b&gt;&quot;&amp;&quot;: 1 check passed">/,
      );
      expect(svg).toContain(">1 check passed</text>");
      expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|href/);
    });
  });

  interface Show {
    readonly run?: ConformanceRun;
    readonly style?: TerminalStyle;
    readonly live?: boolean;
    readonly order?: readonly number[];
  }

  function show({ run = sampleRun, style = plainStyle, live = false, order = [0, 1, 2, 3] }: Show = {}): string {
    let text = "";
    const write = (more: string) => (text += more);
    const report = new HumanReport(run.adapter, sampleChecks, {
      write,
      style,
      live,
      again: (check) => `again ${check}`,
    });
    report.start(run);
    for (const index of order) for (const result of run.results.slice(index, index + 1)) report.note(result);
    report.end(run);
    return text;
  }

  test("prints capabilities, sections, failures and counts", () => {
    expect(
      show()
        .replaceAll(/\.d\.ts:\d+/g, ".d.ts:LINE")
        .replace(/4 of \d+/, "4 of ALL"),
    ).toBe(`MyStorage

Declared capabilities
  durable               durable
  severalProcesses      one process; 1 check not applicable
  parallelTransactions  parallel transactions
  valueIndexes          value indexes
  indexesPerTable       at most 40 indexes
  connections           calls at once: 10

✓ time   1 passed, 1 not applicable  0.0 s
✗ locks  2 failed  1.6 s

1. locks: takes a lock
   got       Error: duplicate key
   from      take (my-adapter.js:12:3)
             run (other.js:1:1)
   contract  LockRepository.take, @sallyport/storage/dist/ports/lock-repository.d.ts:LINE
             ObjectRepository.insert, @sallyport/storage/dist/ports/object-repository.d.ts:LINE
   rerun     again takes a lock

2. locks: reports its holder
   what      the holder
   expected  "one"
   got       null
   contract  LockRepository.state, @sallyport/storage/dist/ports/lock-repository.d.ts:LINE
   rerun     again reports its holder

4 of ALL checks: 3 run, 1 passed, 2 failed, 1 not applicable; 1.6 s, CPU 0.9 s.
`);
  });

  test("prints the kind of the adapter, and the checks that do not apply to it", () => {
    const ofKernel: Check = { section: "kernel", name: "sorts", needs: "kernel", migrated: false, run: async () => {} };
    const printed = (kind: ConformanceRun["kind"], checked: readonly Check[]) => {
      let text = "";
      const write = (more: string) => (text += more);
      const report = new HumanReport("any", checked, { write, style: plainStyle, live: false, again: String });
      report.start({ kind, capabilities: sampleRun.capabilities });
      return text;
    };
    const inProcesses: Check = { ...ofKernel, name: "shares", needsOfKernel: "severalProcesses" };
    const ofStorage = printed("storage", [ofKernel, inProcesses]);
    expect(ofStorage).toContain("  kernel                a whole storage; 2 checks not applicable\n");
    expect(ofStorage).toContain("  severalProcesses      one process\n");
    const ofKernels = printed("kernel", [ofKernel, inProcesses]);
    expect(ofKernels).toContain("  kernel                a kernel\n");
    expect(ofKernels).toContain("  severalProcesses      one process; 1 check not applicable\n");
    expect(printed("kernel", sampleChecks)).not.toContain("a kernel");
  });

  test("prints the progress of an unfinished adapter and the most needed calls", () => {
    const text = show({ run: unwrittenRun });
    expect(text).toContain("· locks  2 not implemented  0.0 s\n");
    expect(text).toContain(`${"█".repeat(10)}${"░".repeat(30)} 1 of 4 checks

Implement next
  locks.state is not implemented yet. Blocks 2 checks
  locks.take is not implemented yet. Blocks 1 check

`);
    expect(text).toMatch(/: 4 run, 1 passed, 0 failed, 3 not implemented, 1 not applicable;/);
  });

  test("prints sections in their order regardless of completion order", () => {
    expect(show({ order: [3, 1, 2, 0] })).toBe(show());
  });

  test("prints the running section only to a rewritable line", () => {
    for (const control of ["\r", "\u001B"]) expect(show()).not.toContain(control);
    const live = show({ live: true });
    expect(live).toContain("… time   1 of 2\r\u001B[K");
    const left = live.split("\n").map((line) => line.split("\r\u001B[K").at(-1));
    expect(left.join("\n")).toBe(show());
  });

  test("emphasizes with the given style and changes nothing else", () => {
    const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
    const marked = show({ style: { strong: mark("b"), faint: mark("i"), good: mark("g"), bad: mark("r") } });
    expect(marked).toContain("<g>✓</g> time   <g>1 passed</g>, <i>1 not applicable</i>");
    expect(marked).toContain("<r>2 failed</r>");
    expect(marked.replaceAll(/<\/?[bigr]>/g, "")).toBe(show());
  });

  test("prints errors thrown outside the checks", () => {
    const text = show({ run: { ...sampleRun, strayErrors: [new Error("terminated")] } });
    expect(text).toContain("✗ uncaught error outside the checks: Error: terminated\n   from  ");
  });

  const schema = JSON.parse(readFileSync(new URL("../report.schema.json", import.meta.url), "utf8")) as object;
  const validate = new Ajv({ allErrors: true }).compile(schema);

  /** A report as its readers get it. */
  function reportOf(run: ConformanceRun): { readonly [name: string]: unknown } {
    const report = JSON.parse(JSON.stringify(jsonReport(run))) as { readonly [name: string]: unknown };
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
    return report;
  }

  test("matches its schema and contains each check", () => {
    const report = reportOf({ ...sampleRun, strayErrors: [new Error("terminated")] });
    expect(report).toMatchObject({
      format: "sallyport-conformance",
      version: 1,
      kit: expect.stringMatching(/^\d+\.\d+\.\d+/),
      adapter: "MyStorage",
      kind: "storage",
      capabilities: sampleRun.capabilities,
      complete: false,
      totals: { checks: 4, run: 3, passed: 1, failed: 2, notImplemented: 0, notApplicable: 1 },
      duration: 1650,
      cpu: 900,
      strayErrors: ["Error: terminated"],
    });
    expect(report["sections"]).toEqual([
      {
        name: "time",
        totals: { checks: 2, run: 1, passed: 1, failed: 0, notImplemented: 0, notApplicable: 1 },
        checks: [
          { name: "moves", outcome: "passed", duration: 40 },
          { name: "shares one clock", outcome: "notApplicable", missing: "severalProcesses", duration: 0 },
        ],
      },
      {
        name: "locks",
        totals: { checks: 2, run: 2, passed: 0, failed: 2, notImplemented: 0, notApplicable: 0 },
        checks: [
          {
            name: "takes a lock",
            outcome: "failed",
            duration: 1000,
            failure: {
              message: "Error: duplicate key",
              contract: {
                method: "LockRepository.take",
                file: "@sallyport/storage/dist/ports/lock-repository.d.ts",
                line: expect.any(Number),
              },
            },
          },
          {
            name: "reports its holder",
            outcome: "failed",
            duration: 600,
            failure: {
              message: "the holder",
              expected: '"one"',
              got: "null",
              contract: expect.objectContaining({ method: "LockRepository.state" }),
            },
          },
        ],
      },
    ]);
  });

  test("names the calls to implement", () => {
    const report = reportOf(unwrittenRun);
    expect(report).toMatchObject({ totals: { run: 4, passed: 1, notImplemented: 3 } });
    expect(report["sections"]).toMatchObject([
      {},
      {
        checks: [{ name: "takes a lock", outcome: "notImplemented", reason: "locks.take is not implemented yet." }, {}],
      },
      {},
    ]);
  });

  test("is complete if all checks of the kit are selected", async () => {
    const memory: AdapterUnderTest = {
      name: "memory",
      concurrency: 4,
      create: async (options) => {
        const storage = new MemoryStorage(options);
        return { storage, destroy: () => storage.close() };
      },
    };
    const report = reportOf(await runChecks(memory));
    expect(report).toMatchObject({ complete: true, totals: { failed: 0 } });
  }, 120_000);

  test.each([
    ["another version", { version: 2 }],
    ["an unknown member", { more: 1 }],
    ["an invalid count", { totals: { checks: -1, run: 0, passed: 0, failed: 0, notImplemented: 0, notApplicable: 0 } }],
    [
      "a failure without its reason",
      {
        sections: [
          {
            name: "a",
            totals: { checks: 1, run: 1, passed: 0, failed: 1, notImplemented: 0, notApplicable: 0 },
            checks: [{ name: "b", outcome: "failed", duration: 0 }],
          },
        ],
      },
    ],
  ])("the schema rejects %s", (_what, change) => {
    expect(validate({ ...jsonReport(sampleRun), ...change })).toBe(false);
  });
});
