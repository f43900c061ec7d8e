import { inGroups } from "./run-items.ts";
import type { Item } from "./item.ts";

const groupsOf = (kinds: string, most: number) =>
  [
    ...inGroups(
      Array.from(kinds, (kind) => ({ kind, isRead: kind === "r" }) as unknown as Item),
      most,
    ),
  ].map((group) => group.map((item) => (item as unknown as { kind: string }).kind).join(""));

test.each([
  ["", 3, []],
  ["r", 3, ["r"]],
  ["w", 3, ["w"]],
  ["rr", 3, ["rr"]],
  ["rrrrrrr", 3, ["rrr", "rrr", "r"]],
  ["wwrrwrw", 3, ["w", "w", "rr", "w", "r", "w"]],
  ["rrw", 1, ["r", "r", "w"]],
])("%j in groups of %i", (kinds, most, groups) => {
  expect(groupsOf(kinds, most)).toEqual(groups);
});
