import type { EndedSessions } from "@sallyport/core";
import { printList } from "../list-command.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand } from "../server-command.ts";
import { endedSessions } from "../users/user-arguments.ts";

export interface RehearsalOptions {
  readonly reason?: string;
  readonly dryRun?: true;
}

/** Adds `--reason` and `--dry-run`. */
export function withRehearsal(command: ServerCommand): ServerCommand {
  return command
    .option("--reason <text>", "reason, for administrators")
    .option("--dry-run", "only list the sessions that would end");
}

const instants = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a point in time as milliseconds since 1970; `null` for none. */
export function instantIn(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  const time = instants.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new CommandError(`${option} must be a time such as 2030-01-31T08:00Z, not "${text}".`);
  return time;
}

export function timeText(time: number | null): string {
  return time === null ? "never" : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Prints what a change has done, or what it would do. */
export function reportEnded(done: string, { count, sessions }: EndedSessions, { dryRun }: RehearsalOptions): void {
  if (!dryRun) {
    console.log(`${done}${endedSessions(count)}`);
    return;
  }
  const number = count === 1 ? "One session" : `${count === 0 ? "No" : count} sessions`;
  console.log(`${number} would end. Nothing was changed.`);
  if (count === 0) return;
  const columns = {
    USER: ({ userName, userId }: EndedSessions["sessions"][number]) => userName || userId,
    DEVICE: ({ deviceId }: EndedSessions["sessions"][number]) => deviceId ?? "none",
    "APP NAMES": ({ appNames }: EndedSessions["sessions"][number]) => appNames.join(", ") || "none",
    SINCE: ({ openedAt }: EndedSessions["sessions"][number]) => timeText(openedAt),
  };
  printList(sessions, { json: (session) => session, columns }, {});
  if (sessions.length < count) console.log(`${count - sessions.length} more are not listed.`);
}
