import { confusableKeyOf, loginNameOf, mailAddress, providerTypeOf } from "../../src/index.ts";
import { codeOf, openProviderFixture } from "./provider-fixture.ts";

/** Ways to write what looks like a text, or means it elsewhere. */
const disguises: readonly (readonly [string, (text: string) => string])[] = [
  ["a trailing blank", (text) => `${text} `],
  ["a leading blank", (text) => ` ${text}`],
  ["a blank that does not break", (text) => `${text}\u00a0`],
  ["a line break", (text) => `${text}\n`],
  ["a space of no width", (text) => `${text.slice(0, 2)}\u200b${text.slice(2)}`],
  ["a joiner", (text) => `${text.slice(0, 2)}\u200d${text.slice(2)}`],
  ["a soft hyphen", (text) => `${text.slice(0, 2)}\u00ad${text.slice(2)}`],
  ["a filler", (text) => `${text}\u3164`],
  ["a selector of a variant", (text) => `${text}\ufe0f`],
  ["a mark of direction", (text) => `\u202e${text}`],
  ["a byte order mark", (text) => `\ufeff${text}`],
  ["a blank of Braille", (text) => `${text}\u2800`],
  ["an anchor of an annotation", (text) => `${text}\ufff9`],
  ["full width", (text) => text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
  [
    "mathematical letters",
    (text) => text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a)),
  ],
];

/** The same in other scripts: another text, whoever looks. */
const foreign: readonly (readonly [string, (text: string) => string])[] = [
  ["Cyrillic", (text) => text.replaceAll("a", "\u0430").replaceAll("o", "\u043e").replaceAll("e", "\u0435")],
  ["Greek", (text) => text.replaceAll("o", "\u03bf").replaceAll("a", "\u03b1")],
  ["a mark on a letter", (text) => `${text}\u0301`],
];

describe.each([...disguises, ...foreign])("with %s", (what, disguised) => {
  test("a provider is none", () => {
    for (const name of ["google", "facebook", "microsoft", "apple", "windowslive", "appleid"])
      expect([name, providerTypeOf(disguised(name))]).toEqual([name, null]);
  });

  test("an identity is another one", async () => {
    const f = await openProviderFixture();
    await f.user("ada");
    const known = { ...f.google.profile, subject: "a-person-of-google" };
    f.google.profile = known;
    await f.link(await f.dfUuid());
    for (const member of ["issuer", "subject"] as const) {
      f.google.profile = { ...known, [member]: disguised(known[member]) };
      expect((await f.finish(await f.away())).outcome).toHaveProperty("dfUuid");
    }
    f.google.profile = known;
    expect((await f.finish(await f.away())).outcome).toHaveProperty("sessionId");
  });

  test("nobody logs in as somebody else", async () => {
    const f = await openProviderFixture();
    await f.user("leona");
    expect(await codeOf(f.link(await f.dfUuid(), { user: disguised("leona") }))).toBe(302);
    expect(await codeOf(f.link(await f.dfUuid(), { user: "leona" }))).toBe(0);
  });

  test("a name is taken as another, or cannot be given beside it", () => {
    const isForeign = foreign.some(([other]) => other === what);
    expect(loginNameOf(disguised("leona"))).not.toBe("leona");
    expect(confusableKeyOf(loginNameOf(disguised("leona"))) === confusableKeyOf("leona")).toBe(!isForeign);
  });

  test("an address is none, or another", () => {
    expect(mailAddress(disguised("leona@mail.example"))).not.toBe("leona@mail.example");
  });
});

test.each(["\u212a", "\u017f", "\u0130", "\u0131"])(
  "a letter whose other case is one of ASCII is not that: %s",
  (letter) => {
    for (const name of [
      "goog\u0131e",
      "face\u212ao",
      `faceboo${letter}`,
      `micro${letter}oft`,
      `w${letter}ndowslive`,
      `apple${letter}d`,
    ])
      expect(providerTypeOf(name)).toBeNull();
  },
);

test("composed and decomposed are one name and one address, and two subjects", async () => {
  expect([loginNameOf("rene\u0301"), mailAddress("rene\u0301@mail.example")]).toEqual([
    "ren\u00e9",
    "ren\u00e9@mail.example",
  ]);
  const f = await openProviderFixture();
  await f.user("ada");
  f.google.profile = { ...f.google.profile, subject: "ren\u00e9" };
  await f.link(await f.dfUuid());
  f.google.profile = { ...f.google.profile, subject: "rene\u0301" };
  expect((await f.finish(await f.away())).outcome).toHaveProperty("dfUuid");
});
