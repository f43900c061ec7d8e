import { Table } from "./table.ts";

function filled(): Table<string, number> {
  const table = new Table<string, number>();
  table.set("a", 1);
  table.set("b", 2);
  table.set("c", 3);
  return table;
}

test("shows a fork the entries of its base, changed, added and deleted", () => {
  const fork = filled().fork();
  fork.set("b", 20);
  fork.delete("a");
  fork.set("d", 4);
  expect([...fork.entries()]).toEqual([
    ["b", 20],
    ["c", 3],
    ["d", 4],
  ]);
  expect([fork.get("a"), fork.get("b"), fork.get("c"), fork.has("a"), fork.has("d")]).toEqual([
    undefined,
    20,
    3,
    false,
    true,
  ]);
});

test("keeps the changes of a fork to itself until they are committed", () => {
  const table = filled();
  const fork = table.fork();
  fork.set("b", 20);
  fork.delete("a");
  expect([...table.values()]).toEqual([1, 2, 3]);
  fork.commit();
  expect([...table.entries()]).toEqual([
    ["b", 20],
    ["c", 3],
  ]);
});

test("forks a fork", () => {
  const table = filled();
  const outer = table.fork();
  const inner = outer.fork();
  inner.delete("a");
  inner.set("d", 4);
  inner.delete("unknown");
  expect([...outer.values()]).toEqual([1, 2, 3]);
  inner.commit();
  expect([...outer.values()]).toEqual([2, 3, 4]);
  expect([...table.values()]).toEqual([1, 2, 3]);
  outer.commit();
  expect([...table.values()]).toEqual([2, 3, 4]);
});

test("takes an entry again that was deleted", () => {
  const table = filled();
  const fork = table.fork();
  fork.delete("a");
  fork.set("a", 10);
  expect(fork.get("a")).toBe(10);
  fork.commit();
  expect(table.get("a")).toBe(10);
});
