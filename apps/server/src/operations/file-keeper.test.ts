import { join } from "node:path";
import { jest } from "@jest/globals";
import type { AdministrationContext, Database } from "@sallyport/core";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";
import { pino } from "pino";
import { FileKeeper } from "./file-keeper.ts";

const hour = 3_600_000;
const database = (alias: string) => ({ alias, storage: { repositories: {} } }) as unknown as Database;

function keeperOf({
  collect,
  prepare,
}: {
  collect?: (alias: string) => Promise<number>;
  prepare?: () => Promise<void>;
}) {
  const lines: { msg: string; alias: string }[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const collected: string[] = [];
  const collector = {
    collectFiles: async ({ database: { alias } }: AdministrationContext) => {
      collected.push(alias);
      return (await collect?.(alias)) ?? 0;
    },
  };
  const databases = new Map([
    ["", database("")],
    ["gone", null],
    ["other", database("other")],
  ]);
  const stores = new Map([...databases.keys()].map((alias) => [alias, { prepare: prepare ?? (async () => {}) }]));
  return {
    keeper: new FileKeeper(databases, { directory: join(runDirectory(), "files"), stores }, collector, logger),
    collected,
    lines,
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("collects in each database within an hour of the start, then every hour", async () => {
  const { keeper, collected } = keeperOf({});
  keeper.start();
  await jest.advanceTimersByTimeAsync(hour);
  expect(collected.toSorted()).toEqual(["", "other"]);
  await jest.advanceTimersByTimeAsync(hour);
  expect(collected.toSorted()).toEqual(["", "", "other", "other"]);
  keeper.stop();
  await jest.advanceTimersByTimeAsync(2 * hour);
  expect(collected).toHaveLength(4);
});

test("a failed collection is logged and tried again", async () => {
  const { keeper, collected, lines } = keeperOf({
    collect: (alias) => (alias === "" ? Promise.reject(new Error("gone")) : Promise.resolve(3)),
  });
  keeper.start();
  await jest.advanceTimersByTimeAsync(2 * hour);
  keeper.stop();
  expect(collected.filter((alias) => alias === "")).toHaveLength(2);
  expect(lines).toContainEqual(expect.objectContaining({ alias: "", msg: "File cleanup failed" }));
  expect(lines).toContainEqual(
    expect.objectContaining({ alias: "other", files: 3, msg: "Unreferenced files deleted" }),
  );
});

test("a store that cannot be prepared is logged and prevents no start", async () => {
  const { keeper, lines } = keeperOf({ prepare: () => Promise.reject(new Error("read only")) });
  await keeper.prepare();
  expect(lines.map(({ alias, msg }) => [alias, msg])).toEqual([
    ["", "File store unavailable"],
    ["other", "File store unavailable"],
  ]);
});
