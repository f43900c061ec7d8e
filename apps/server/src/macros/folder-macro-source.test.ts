import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { MacroLimits, MacroRuntime } from "@sallyport/core";
import { pino } from "pino";
import { FolderMacroSource } from "./folder-macro-source.ts";
import { MacroFolders } from "./macro-folders.ts";

let directory: string;
let refused: string[];
let folder: FolderMacroSource;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sallyport-macros-"));
  refused = [];
  const logger = pino(
    {},
    { write: (line: string) => void refused.push(JSON.parse(line).file?.slice(directory.length + 1)) },
  );
  folder = new FolderMacroSource(directory, logger);
});
afterEach(() => {
  folder.stop();
  rmSync(directory, { recursive: true });
});

const write = (name: string, text = "text") => writeFileSync(join(directory, name), text);
const read = async () => (await folder.read()).map(({ name, language, text }) => [name, language, text]);

test("reads files by their names, without files that are not macros", async () => {
  for (const name of [
    "B.js",
    "A.mjs",
    "C.ts",
    "D.mts",
    ".hidden.js",
    "C.d.ts",
    "D.d.mts",
    "C.test.json",
    "A.test.ts",
    "notes.md",
    "js",
  ])
    write(name, name);
  mkdirSync(join(directory, "inside"));
  expect(await read()).toEqual([
    ["A", "js", "A.mjs"],
    ["B", "js", "B.js"],
    ["C", "ts", "C.ts"],
    ["D", "ts", "D.mts"],
  ]);
  expect(refused).toEqual([]);
});

test("reads a link to a file as that file, and continues after a dangling link", async () => {
  write("Good.js");
  symlinkSync(join(directory, "Good.js"), join(directory, "Same.js"));
  symlinkSync(join(directory, "nothing"), join(directory, "Lost.js"));
  expect(await read()).toEqual([
    ["Good", "js", "text"],
    ["Same", "js", "text"],
  ]);
  expect(refused).toEqual(["Lost.js"]);
});

test("notices changes beside a dangling link", async () => {
  write("Good.js");
  symlinkSync(join(directory, "nothing"), join(directory, "Lost.js"));
  await folder.read();
  const before = folder.generation;
  folder.watch();
  unlinkSync(join(directory, "Good.js"));
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (folder.generation === before) return;
      clearInterval(look);
      resolve();
    }, 20);
  });
  expect(await read()).toEqual([]);
});

test("a file may be as large as a macro, and not larger", async () => {
  write("Largest.js", "x".repeat(256 * 1024));
  write("Larger.js", "x".repeat(256 * 1024 + 1));
  expect((await read()).map(([name, , text]) => [name, text?.length])).toEqual([["Largest", 256 * 1024]]);
  expect(refused).toEqual(["Larger.js"]);
});

const onUnix = process.platform === "win32" ? test.skip : test;

onUnix("ignores non-files: a pipe without a writer, an endless device, a folder", async () => {
  write("Good.js");
  execFileSync("mkfifo", [join(directory, "Pipe.js")]);
  symlinkSync("/dev/zero", join(directory, "Zero.js"));
  mkdirSync(join(directory, "Folder.js"));
  expect(await read()).toEqual([["Good", "js", "text"]]);
  expect(refused.toSorted()).toEqual(["Folder.js", "Pipe.js", "Zero.js"]);
});

test.each([
  [true, 1],
  [false, 0],
])("folders are watched only between start and stop, if the configuration says %s", (isWatching, watched) => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
  try {
    const parts = {
      runtime: {} as MacroRuntime,
      limits: {} as MacroLimits,
      isWatching,
      logger: pino({ enabled: false }),
    };
    const folders = new MacroFolders(parts);
    folders.of(directory);
    expect(jest.getTimerCount()).toBe(0);
    folders.start();
    expect(jest.getTimerCount()).toBe(watched);
    folders.of(tmpdir());
    expect(jest.getTimerCount()).toBe(2 * watched);
    folders.stop();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
