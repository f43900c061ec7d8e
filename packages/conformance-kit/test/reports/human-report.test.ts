import { HumanReport } from "../../src/reports/human-report.ts";
import { plainStyle, type TerminalStyle } from "../../src/reports/terminal-style.ts";
import type { ConformanceRun } from "../../src/run-checks.ts";
import { sampleChecks, sampleRun, unwrittenRun } from "./sample-run.ts";

interface Show {
  readonly run?: ConformanceRun;
  readonly style?: TerminalStyle;
  readonly live?: boolean;
  readonly order?: readonly number[];
}

function show({ run = sampleRun, style = plainStyle, live = false, order = [0, 1, 2, 3] }: Show = {}): string {
  let text = "";
  const write = (more: string) => (text += more);
  const report = new HumanReport(run.adapter, sampleChecks, { write, style, live, again: (check) => `again ${check}` });
  report.start(run.capabilities);
  for (const index of order) for (const result of run.results.slice(index, index + 1)) report.note(result);
  report.end(run);
  return text;
}

test("tells capabilities, sections, failures and counts", () => {
  expect(
    show()
      .replaceAll(/\.d\.ts:\d+/g, ".d.ts:LINE")
      .replace(/4 of \d+/, "4 of ALL"),
  ).toBe(`MyStorage

Declared capabilities
  durable               durable
  severalProcesses      one process; 1 check about it left out
  parallelTransactions  parallel transactions
  valueIndexes          indexes over values
  indexesPerTable       at most 40 indexes

✓ time   1 passed, 1 not applicable  0.0 s
✗ locks  2 failed  1.6 s

1. locks: are taken
   got       Error: duplicate key
   from      take (my-adapter.js:12:3)
             run (other.js:1:1)
   contract  LockRepository.take, @sallyport/core/dist/storage/lock-repository.d.ts:LINE
             ObjectRepository.insert, @sallyport/core/dist/storage/object-repository.d.ts:LINE
   again     again are taken

2. locks: are told
   what      who holds it
   expected  "one"
   got       null
   contract  LockRepository.state, @sallyport/core/dist/storage/lock-repository.d.ts:LINE
   again     again are told

4 of ALL checks: 3 run, 1 passed, 2 failed, 1 not applicable; 1.6 s, of which 0.9 s of computing.
`);
});

test("tells how far an adapter is, and what most checks wait for", () => {
  const text = show({ run: unwrittenRun });
  expect(text).toContain("· locks  2 to write  0.0 s\n");
  expect(text).toContain(`${"█".repeat(10)}${"░".repeat(30)} 1 of 4 checks

To be written next
  locks.state is not written yet. 2 checks came to it.
  locks.take is not written yet. 1 check came to it.

`);
  expect(text).toMatch(/: 4 run, 1 passed, 0 failed, 3 to write, 1 not applicable;/);
});

test("tells sections in their order, whatever ends first", () => {
  expect(show({ order: [3, 1, 2, 0] })).toBe(show());
});

test("shows the section that is at work only where a line can be written over", () => {
  for (const control of ["\r", "\u001B"]) expect(show()).not.toContain(control);
  const live = show({ live: true });
  expect(live).toContain("… time   1 of 2\r\u001B[K");
  const left = live.split("\n").map((line) => line.split("\r\u001B[K").at(-1));
  expect(left.join("\n")).toBe(show());
});

test("emphasises with the style that it is given, and changes nothing else", () => {
  const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const marked = show({ style: { strong: mark("b"), faint: mark("i"), good: mark("g"), bad: mark("r") } });
  expect(marked).toContain("<g>✓</g> time   <g>1 passed</g>, <i>1 not applicable</i>");
  expect(marked).toContain("<r>2 failed</r>");
  expect(marked.replaceAll(/<\/?[bigr]>/g, "")).toBe(show());
});

test("tells what was thrown beside the checks", () => {
  const text = show({ run: { ...sampleRun, strayErrors: [new Error("terminated")] } });
  expect(text).toContain("✗ thrown outside the checks, where it could not be caught: Error: terminated\n   from  ");
});
