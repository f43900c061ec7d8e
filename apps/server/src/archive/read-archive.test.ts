import { type ArchiveRecord, canonicalJson } from "@sallyport/core";
import { openArchive } from "./read-archive.ts";
import { checkedAnew, header, joined, object, read, records, streamed, written } from "../../test/sample-archive.ts";

let archive: string;
let lines: string[];

beforeAll(async () => {
  archive = await written();
  lines = archive.split("\n").slice(0, -1);
});

test("what was written is read again, in pieces of any size", async () => {
  expect((await openArchive(streamed([Buffer.from(archive)]))).header).toMatchObject(header);
  expect(await read(archive)).toEqual(records);
  expect(await read(archive, 1_021)).toEqual(records);
  expect(await read(joined(lines.slice(0, 8)).concat(joined(lines.slice(8))), 7)).toEqual(records);
});

test("objects may stand otherwise than they are written", async () => {
  const isObject = (line: string) => line.startsWith('{"id": "A"') && line.includes('"stamp": 10,');
  const changes: readonly ((line: string) => string)[] = [
    (line) => JSON.stringify(JSON.parse(line)),
    (line) => `${line} `,
    (line) => line.replace(/^\{(.*), ("attributes": \{.*\})\}$/, "{$2, $1}"),
    (line) => line.replace('"attributes": ', '"attributes": {}, "attributes": '),
  ];
  for (const change of changes) {
    const changed = lines.map((line) => (isObject(line) ? change(line) : line));
    expect(changed).not.toEqual(lines);
    const found = await read(checkedAnew(changed));
    const asValues = (all: readonly ArchiveRecord[]) =>
      all.map((record) =>
        "stamp" in record && record.attributes !== null
          ? { ...record, attributes: JSON.parse(record.attributes) as unknown }
          : record,
      );
    expect(asValues(found)).toEqual(asValues(records));
  }
});

test("objects of any size pass unchanged", async () => {
  const large = [1, 700_000, 3_000_000].map(
    (length, index): ArchiveRecord =>
      ({ ...object(index + 1), attributes: canonicalJson({ Text: "\u20ac".repeat(length) }) }) as ArchiveRecord,
  );
  expect(await read(await written(large))).toEqual(large);
});

test("every line is canonical JSON, and checked at the latest after a thousand", () => {
  const isControl = (line: string) => /^\{"(?:check|section|end)":/.test(line);
  const others = lines.slice(1).filter((line) => !isControl(line));
  expect(others).toHaveLength(records.length);
  for (const line of others) expect(line).toBe(canonicalJson(JSON.parse(line)));
  const gaps = lines.map((line, index) => (line.startsWith('{"check":') ? index : -1)).filter((index) => index >= 0);
  expect(Math.max(...gaps.map((place, index) => place - (gaps[index - 1] ?? 0)))).toBeLessThanOrEqual(1_002);
  expect(gaps.at(-1)).toBe(lines.length - 1);
});

test("app keys of an earlier version return nowhere", async () => {
  const earlier = lines.map((line) => line.replace(', "returnAddresses": []', ""));
  expect(earlier).not.toEqual(lines);
  expect(await read(checkedAnew(earlier))).toEqual(records);
});

test("an archive of nothing is one", async () => {
  const empty = await written([]);
  expect(await read(empty)).toEqual([]);
});

test("what is left out is not there", async () => {
  const sections = (text: string) => [...text.matchAll(/^\{"section":"(\w+)"\}$/gm)].map(([, name]) => name);
  const all = [
    "settings",
    "classes",
    "appKeys",
    "objects",
    "links",
    "departures",
    "accounts",
    "records",
    "audit",
    "tallies",
  ];
  expect(sections(archive)).toEqual(all);
  const bare = await written(records, ["credentials", "keys"]);
  expect(sections(bare)).toEqual(all.filter((name) => !["appKeys", "accounts"].includes(name)));
  const secret = ["keyRing", "secondFactor"];
  const isLeftOut = (record: ArchiveRecord) =>
    ["appKeys", "accounts"].includes(record.section) || (record.section === "records" && secret.includes(record.kind));
  expect(await read(bare)).toEqual(records.filter((record) => !isLeftOut(record)));
  expect(records.filter(isLeftOut)).toHaveLength(4);
});

test("an archive of a former version does not say who recycled an object", async () => {
  const former = lines.map((line) => line.replace(/, "deletedBy": (null|"1")/, ""));
  expect(former).not.toEqual(lines);
  const { records: found } = await openArchive(streamed([Buffer.from(checkedAnew(former))]));
  const departed: unknown[] = [];
  for await (const record of found) if (record.section === "departures") departed.push(record.deletedBy);
  expect(departed).toEqual([null, null]);
});
