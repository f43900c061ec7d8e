import { type Attributes, maximumObjectBytes, seesAll, type StoredObject } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { noSession, createObject, createObjects, findObjects, update } from "../../fixtures/objects.ts";

/** Upper bound in bytes for names and punctuation. */
const slack = 100;

function ofBytes(bytes: number, name = "Text"): Attributes {
  return { [name]: "x".repeat(bytes) };
}

const tooLarge: readonly (readonly [string, Attributes])[] = [
  ["a text", ofBytes(maximumObjectBytes)],
  ["a non-Latin text", { Text: "日".repeat(maximumObjectBytes / 3) }],
  ["a text with escape sequences", { Text: '"'.repeat(maximumObjectBytes / 2) }],
  [
    "several values",
    { ...ofBytes(maximumObjectBytes / 2, "One"), Other: [{ deep: "x".repeat(maximumObjectBytes / 2) }] },
  ],
];

export const objectSizeChecks: readonly Check[] = checksOf("objects", {
  "stores objects up to the maximum size": async ({ r }) => {
    const bytes = maximumObjectBytes - slack;
    for (const Text of ["x".repeat(bytes), "日".repeat(bytes / 3)]) {
      const object = await createObject(r, { attributes: { Text } });
      equal(await r.objects.get([object.id], seesAll), [object], "the object");
    }
  },

  "refuses to create an oversized object with 801, all or nothing": async ({ r }) => {
    const small = { className: "File", attributes: { Name: "small" } };
    for (const [what, attributes] of tooLarge) {
      const insert = () => r.objects.insert([small, { className: "File", attributes }, small]);
      await failsWith(801, insert, `creating an object of ${what}`);
    }
    equal(await findObjects(r, ["File"]), [], "the objects");
  },

  "refuses to grow an object beyond the maximum size with 801, all or nothing": async ({ r }) => {
    const half = maximumObjectBytes / 2;
    const [one, other] = await createObjects(r, {}, { attributes: ofBytes(half, "One") });
    const changes = [changeOf(one.id, { Name: "new" }), changeOf(other.id, ofBytes(half, "Other"))];
    await failsWith(801, () => r.objects.update(changes, noSession), "growing an object that is already large");
    equal(await findObjects(r, ["File"]), [one, other], "the objects");
    const changed = await update(r, other.id, ofBytes(half + slack, "One"));
    equal((changed as StoredObject).attributes, ofBytes(half + slack, "One"), "the object with a replaced value");
  },
});
