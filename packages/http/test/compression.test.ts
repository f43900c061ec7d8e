import * as zlib from "node:zlib";
import * as z from "zod";
import { administrationOperations, databaseOperations, operationsOf } from "@sallyport/contract";
import { acceptedCoding, compressed } from "../src/compression.ts";

const declared = [...operationsOf(databaseOperations), ...operationsOf(administrationOperations)];

/** All others hold credentials, keys, codes, second factors, links or tokens, could hold them, or return what the client has sent. */
const compressedOperations = [
  "describeAdministration",
  "describeApi",
  "getObject",
  "listObjects",
  "listRecycler",
  "multi",
  "pull",
  "pullNamed",
  "pushChanges",
  "queryObjects",
];

test("these operations are compressed, and no other", () => {
  const found = declared.filter(({ compressed: isCompressed }) => isCompressed === true);
  expect(found.map(({ id }) => id).toSorted()).toEqual(compressedOperations);
});

/** Names of all members of an answer, at any depth. */
function membersOf(schema: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null) return names;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") for (const name of Object.keys(value as object)) names.add(name);
    membersOf(value, names);
  }
  return names;
}

const secret =
  /session|token|secret|password|^pass$|credential|key|code|factor|2fa|otp|recovery|ticket|link|url$|dfUuid|upload/i;

test.each(declared.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  "%s is not compressed if its answer has a member for a secret",
  (_title, { data, access, answer, compressed: isCompressed }) => {
    const schema = z.toJSONSchema(data, { unrepresentable: "any" });
    const secrets = [...membersOf(schema)].filter((name) => secret.test(name));
    const isSecret =
      secrets.length > 0 ||
      ["secrets", "navigation"].includes(access) ||
      typeof answer === "object" ||
      answer === "file";
    expect({ secrets, compressed: isSecret && isCompressed !== undefined }).toEqual({ secrets, compressed: false });
  },
);

test("members for secrets are found in answers that have some", () => {
  const found = new Set(
    declared.flatMap(({ id, data }) => {
      const names = membersOf(z.toJSONSchema(data, { unrepresentable: "any" }));
      return [...names].some((name) => secret.test(name)) ? [id] : [];
    }),
  );
  for (const id of ["logIn", "logInWithToken", "getSecureLogInKey", "createFileLink", "beginUpload"])
    expect(found).toContain(id);
});

const zstd = "zstdCompressSync" in zlib ? "zstd" : null;

test.each([
  [undefined, null],
  ["", null],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip, deflate, br", "gzip"],
  ["deflate, br", null],
  ["gzip;q=0", null],
  ["gzip;q=0.000", null],
  ["gzip; q=0.001", "gzip"],
  ["gzip ;q=1.0", "gzip"],
  ["gzip;q=1.001", null],
  ["gzip;q=2", null],
  ["gzip;q=0.5, identity", null],
  ["gzip;q=0.5, identity;q=0.2", "gzip"],
  ["gzip, identity", "gzip"],
  ["identity", null],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["*", zstd ?? "gzip"],
  ["*;q=0", null],
  ["*;q=0, gzip", "gzip"],
  ["gzip;q=0, *", zstd],
  ["zstd, gzip", zstd ?? "gzip"],
  ["gzip, zstd;q=0.9", "gzip"],
  ["gzip;level=9", null],
  [",, gzip ,", "gzip"],
])("Accept-Encoding %j selects %j", (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding);
});

test.each([4_096, 65_536, 65_537, 1_000_000])("%i bytes are compressed and decompressed unchanged", async (length) => {
  const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 251));
  const pending = compressed(bytes, "gzip");
  expect(pending instanceof Promise).toBe(length > 65_536);
  expect(zlib.gunzipSync((await pending) as Buffer).equals(bytes)).toBe(true);
});

test("answers beyond those that fit into the threads are not compressed", async () => {
  const bytes = Buffer.alloc(100_000);
  const all = Array.from({ length: 6 }, () => compressed(bytes, "gzip"));
  expect(all.filter((each) => each === null)).toHaveLength(2);
  await Promise.all(all);
  expect(await compressed(bytes, "gzip")).not.toBeNull();
});
