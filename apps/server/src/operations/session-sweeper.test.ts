import { type Database, ServiceError } from "@sallyport/core";
import { pino } from "pino";
import { SessionSweeper } from "./session-sweeper.ts";

const database = (alias: string, sweep: (limit: number) => Promise<number>) =>
  ({ alias, storage: { repositories: { sessions: { sweep } } } }) as unknown as Database;

test("sweeps until nothing is left", async () => {
  const left = [1_000, 1_000, 3];
  const sweeper = new SessionSweeper(new Map(), 1_000, pino({ enabled: false }));
  await sweeper.sweep(database("", async () => left.shift() ?? 0));
  expect(left).toEqual([]);
});

test("logs a failure, tries again, and does not disturb the other databases", async () => {
  const lines: string[] = [];
  let enough = () => {};
  const sweptTwice = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const swept = new Map([["down", 0], ["up", 0]]);
  const count = (alias: string) => {
    swept.set(alias, (swept.get(alias) ?? 0) + 1);
    if ([...swept.values()].every((times) => times >= 2)) enough();
  };
  const down = database("down", async () => {
    count("down");
    throw new ServiceError(704);
  });
  const up = database("up", async () => {
    count("up");
    return 0;
  });
  const databases = new Map([["down", down], ["up", up], ["later", null]]);
  const sweeper = new SessionSweeper(databases, 1, pino({}, { write: (line: string) => void lines.push(line) }));
  sweeper.start();
  // The sweeper's own timers do not keep a process alive.
  const alive = setInterval(() => {}, 1_000);
  await sweptTwice;
  clearInterval(alive);
  sweeper.stop();
  expect(JSON.parse(lines[0] as string)).toMatchObject({ alias: "down", msg: "expired sessions could not be removed" });
});
