import { type Connection, runOn } from "./connection.ts";
import { canReadHistory } from "./expressions.ts";
import type { Tables } from "./tables.ts";

/** A timeline from which another one descends, and the position at which the other one has left it. */
interface Ancestor {
  readonly name: string;
  readonly end: string;
}

/** The ancestors of a timeline, the parent last. The first timeline of a server has none, and no file. */
export async function readHistory(
  connection: Connection,
  { schema }: Tables,
  name: string,
): Promise<readonly Ancestor[] | "unreadable"> {
  const own = `"${schema}".timeline_history()`;
  const rights = await runOn<{ readable: boolean; own: boolean }>(connection, {
    text: `select ${canReadHistory("$1")} as readable, to_regprocedure($1) is not null as own`,
    values: [own],
  });
  const [right] = rights.rows;
  if (right?.readable !== true) return "unreadable";
  const [system, timeline] = name.split("/");
  const read = right.own ? own : `pg_read_file('pg_wal/${timeline}.history', 0, 1048576, true)`;
  const { rows } = await runOn<{ text: string | null }>(connection, { text: `select ${read} as text` });
  // A line is the number of a timeline, its end and a remark.
  return Array.from((rows[0]?.text ?? "").matchAll(/^(\d+)\t(\S+)/gm), ([, number = "", end = ""]) => ({
    name: `${system}/${Number(number).toString(16).toUpperCase().padStart(8, "0")}`,
    end,
  }));
}

/** Whether a timeline has a lower number than another one of the same system. */
export function isEarlier(one: string, other: string): boolean {
  const [system, timeline = ""] = one.split("/");
  const [otherSystem, otherTimeline = ""] = other.split("/");
  return system === otherSystem && timeline < otherTimeline;
}

/** A position as a number: `1/2A` is 2^32 + 42. */
export function numberOf(position: string): bigint {
  const [high = "", low = ""] = position.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
